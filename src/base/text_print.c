// Wire bytes to text format. Fields come in the order of the bytes; a field whose number or wire type the
// schema does not know is printed by its number.
#include "base/number.h"
#include "base/schema.h"
#include "base/schema_write.h"

typedef struct text_printer {
  dvt_buf *out;
  bool single_line, first;
  int depth;
} text_printer;

static dvt_status print_fields(text_printer *p, const dvt_schema *schema, dvt_str wire);

static void start_line(text_printer *p) {
  if (p->single_line && !p->first) dvt_buf_append_byte(p->out, ' ');
  if (!p->single_line)
    for (int i = 0; i < p->depth; i++) dvt_buf_append_str(p->out, DVT_STR("  "));
  p->first = false;
}
static void end_line(text_printer *p) {
  if (!p->single_line) dvt_buf_append_byte(p->out, '\n');
}

static void put_quoted(dvt_buf *out, dvt_str s) {
  dvt_buf_append_byte(out, '"');
  for (size_t i = 0; i < s.len; i++) {
    unsigned char c = (unsigned char)s.data[i];
    static const char from[] = "\n\r\t\"'\\", to[] = "nrt\"'\\";
    const char *known = memchr(from, c, sizeof from - 1);
    if (known)
      dvt_buf_printf(out, "\\%c", to[known - from]);
    else if (c < 0x20 || c >= 0x7f)
      dvt_buf_printf(out, "\\%03o", c);
    else
      dvt_buf_append_byte(out, (char)c);
  }
  dvt_buf_append_byte(out, '"');
}

static void put_scalar(dvt_buf *out, const dvt_schema_field *field, uint64_t bits) {
  char text[DVT_NUMBER_CHARS];
  const char *name;
  switch (field->kind) {
    case DVT_KIND_INT32:
      dvt_buf_printf(out, "%ld", (long)(int32_t)bits);
      break;
    case DVT_KIND_INT64:
      dvt_buf_printf(out, "%lld", (long long)bits);
      break;
    case DVT_KIND_SINT64:
      dvt_buf_printf(out, "%lld", (long long)(bits >> 1 ^ (0u - (bits & 1))));
      break;
    case DVT_KIND_UINT32:
      dvt_buf_printf(out, "%lu", (unsigned long)(uint32_t)bits);
      break;
    case DVT_KIND_BOOL:
      dvt_buf_printf(out, "%s", bits ? "true" : "false");
      break;
    case DVT_KIND_FLOAT:
      dvt_buf_append(out, text, dvt_number_format_float(dvt_bits_to_float(bits), text));
      break;
    case DVT_KIND_DOUBLE:
      dvt_buf_append(out, text, dvt_number_format_double(dvt_bits_to_double(bits), text));
      break;
    case DVT_KIND_ENUM:
      name = dvt_schema_enum_name(field->enum_values, (int32_t)bits);
      if (name)
        dvt_buf_printf(out, "%s", name);
      else
        dvt_buf_printf(out, "%ld", (long)(int32_t)bits);
      break;
    default:
      dvt_buf_printf(out, "%llu", (unsigned long long)bits);
      break;
  }
}

static dvt_status print_scalars(text_printer *p, const dvt_schema_field *row, const dvt_field *field) {
  dvt_wire_packed packed = {0};
  uint64_t bits;
  bool bad = false;
  while (dvt_wire_packed_next(&packed, field, dvt_schema_wire_type(row->kind), &bits, &bad)) {
    start_line(p);
    dvt_buf_printf(p->out, "%s: ", row->name);
    put_scalar(p->out, row, bits);
    end_line(p);
  }
  return bad ? dvt_error(TF_INVALID_ARGUMENT, "malformed message: the packed values of %s are cut off",
                         row->name)
             : NULL;
}

static dvt_status print_message(text_printer *p, const dvt_schema_field *row, dvt_str bytes) {
  if (p->depth >= DVT_SCHEMA_MAX_DEPTH)
    return dvt_error(TF_INVALID_ARGUMENT, "malformed message: %s nests more than %d deep", row->name,
                     DVT_SCHEMA_MAX_DEPTH);
  start_line(p);
  dvt_buf_printf(p->out, "%s {", row->name);
  end_line(p);
  p->depth++;
  DVT_RETURN_IF_ERROR(print_fields(p, row->message, bytes));
  p->depth--;
  start_line(p);
  dvt_buf_append_byte(p->out, '}');
  end_line(p);
  return NULL;
}

static void print_unknown(text_printer *p, const dvt_field *field) {
  start_line(p);
  dvt_buf_printf(p->out, "%u: ", (unsigned)field->number);
  if (field->type == DVT_WIRE_BYTES)
    put_quoted(p->out, field->bytes);
  else
    dvt_buf_printf(p->out, field->type == DVT_WIRE_VARINT ? "%llu" : "0x%llx",
                   (unsigned long long)field->value);
  end_line(p);
}

static dvt_status print_field(text_printer *p, const dvt_schema *schema, const dvt_field *field) {
  const dvt_schema_field *row = dvt_schema_field_by_number(schema, field->number);
  dvt_wire_type type = row ? dvt_schema_wire_type(row->kind) : field->type;
  bool is_packed_run = row && row->repeated && type != DVT_WIRE_BYTES && field->type == DVT_WIRE_BYTES;
  if (!row || (field->type != type && !is_packed_run)) {
    print_unknown(p, field);
    return NULL;
  }
  if (row->message) return print_message(p, row, field->bytes);
  if (type != DVT_WIRE_BYTES) return print_scalars(p, row, field);
  start_line(p);
  dvt_buf_printf(p->out, "%s: ", row->name);
  put_quoted(p->out, field->bytes);
  end_line(p);
  return NULL;
}

static dvt_status print_fields(text_printer *p, const dvt_schema *schema, dvt_str wire_bytes) {
  dvt_wire wire = dvt_wire_open(wire_bytes);
  dvt_field field;
  while (dvt_wire_next(&wire, &field)) DVT_RETURN_IF_ERROR(print_field(p, schema, &field));
  if (wire.bad)
    return dvt_error(TF_INVALID_ARGUMENT, "malformed message: %s is cut off or corrupt", schema->name);
  return NULL;
}

dvt_status dvt_text_print(const dvt_schema *schema, dvt_str wire, bool single_line, dvt_buf *out) {
  text_printer p = {.out = out, .single_line = single_line, .first = true};
  size_t before = out->len;
  dvt_status status = print_fields(&p, schema, wire);
  if (!status && out->failed) status = dvt_error_out_of_memory(out->len);
  if (status && !out->failed) out->len = before;
  return status;
}
