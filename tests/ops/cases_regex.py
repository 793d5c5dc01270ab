"""Cases for the regular expressions of text.so."""

from cases_text import scalar, strings, words

TEXTS = [
    '',
    'a',
    'aa',
    'ab',
    'abc',
    'abcabc',
    'b',
    'foo.bar',
    'Hello World',
    'HELLO',
    'x1y22z333',
    'line one\nline two\n',
    '\n',
    'snow ☃ man',
    'ÉCOLE école',
]
TEXTS += [
    b'\xff',
    b'a\xffb',
    b'\xe2\x98',
    b'a\x00b',
    '  spaced  ',
    'k K \u212a s \u017f',
    's3://bucket/x',
    '/local/file',
    'aaaaaaaaaaaaaaaaaaaaaaaaab',
    '(a)',
    'a|b',
    '[x]',
    '{2}',
    'a{2}',
    '_w-',
    '\u1234',
    '$^',
]
PATTERNS = [
    '',
    'a',
    'a*',
    'a+',
    'a?',
    'a*?',
    'a+?',
    'a??',
    'abc',
    'a|b',
    'a|ab',
    'ab|a',
    '(a|ab)(c|bcd)?',
    '[abc]+',
    '[^abc]+',
    '[a-c]*',
    r'\d+',
    r'\D+',
    r'\w+',
    r'\W+',
    r'\s+',
    r'\S+',
]
PATTERNS += [
    r'(\w+) (\w+)',
    '^a',
    'a$',
    '^',
    '$',
    '^$',
    r'\ba',
    r'\b',
    r'\B',
    r'\Aa',
    r'a\z',
    '.',
    '.*',
    '.+',
    '(?s).*',
    '(?s).',
    '(?m)^line',
    '(?m)$',
    '(?m)^',
    '(?i)hello',
    '(?i)[a-k]+',
    '(?i)k',
    '(?i)é',
]
PATTERNS += [
    'a{2}',
    'a{2,}',
    'a{1,2}',
    'a{0}',
    'a{0,1}b',
    'a{,2}',
    'a{x}',
    '{2}',
    'a{2',
    '(?:ab)+',
    '(?P<n>a)(?P<m>b)',
    '(?<n>a)',
    '(a)(b)(c)',
    '((a)(b))',
    '(a*)*',
    '(a*)+',
    '(|a)*',
    '(|a)+',
    '()',
    '(a|)',
    '|a',
    'a|',
]
PATTERNS += [
    r'[[:alpha:]]+',
    r'[[:^alpha:]]+',
    r'[[:word:]-]+',
    r'[\d\s]+',
    r'[^\d]+',
    r'[\w.]+',
    '[]a]+',
    '[^]a]+',
    '[a-]+',
    '[-a]+',
    r'[\]]',
    r'[\n]',
    r'[\x41-\x5a]+',
    r'\x41',
    r'\x{2603}',
    '☃',
    '[☃a]+',
    '[^☃]+',
    r'\.',
    r'\/',
    r'\_',
    r'\-',
]
PATTERNS += [
    r'\Qa|b\E',
    r'\Qa+',
    r'\Qab\E*',
    r'\n',
    r'\t',
    r'\101',
    r'\07',
    r'\0',
    '(?U)a+',
    '(?U)a+?',
    '(?i:a)b',
    'a(?i)b',
    '(?i)a(?-i)b',
    '(?is).+',
    'a.c',
    '^(s3|gs)://.*',
    '^(.*)$',
    r'(\d)(\d)?',
    'x*',
    'b*',
    '(?:(?:a{10}){10}){10}',
    '(a+)(b+)',
    '(?:a|b)*?c',
    'a**b'[:2],
]
PATTERNS += [
    r'\\',
    r'\^\$',
    r'[a\-z]+',
    '(?i)ſ',
    '[[:space:]]',
    '[[:punct:]]+',
    r'\pL+',
    r'\p{Greek}',
    r'a\C',
    '[.]',
    r'[^\n]+',
    r'(?m)(^|,)',
    '(?i)ß',
    'é',
    '[é-ü]+',
    '(a){0}',
    '(a){3}',
]
BAD = [
    '(',
    ')',
    'a)',
    '(a',
    '[',
    '[a',
    '[z-a]',
    '*',
    '+a',
    '?',
    '|*',
    '(*)',
    'a**',
    'a*+',
    'a+*',
    'a???',
    'a{2}{3}',
    'a{2}*',
    'a{1001}',
    'a{3,2}',
    '(a{100}){100}',
    '\\',
    r'\1',
    r'\8',
    r'\q',
    r'\Z',
    r'\G',
    r'\x',
    r'\x4',
    r'\x{',
    r'\x{110000}',
    r'\x{}',
    '(?',
    '(?x)',
    '(?P<n',
    '(?P<>a)',
    '(?P<n>a)(?P<n>b)',
    '(?P=n)',
    '(?i',
    '(?i-)',
    '(?-)',
    '(?=a)',
    '(?!a)',
    '(?<=a)',
    '[a[:nope:]]',
    '[a[:alpha:]',
    b'\xff',
    b'a\xc3',
    r'[\q]',
    '(?P<a-b>x)',
    r'[a-\d]',
    '(?i)*',
    '^*',
    '$+',
    r'\b+',
    'a{0,1001}',
    '(?:a{1000}){2}',
    '(?:',
    '(?#a)',
    '((((((((((a))))))))))',
]
REWRITES = ['', 'X', r'<\0>', r'\\', r'\0\0']


def regex(writer, data, scale):
    texts = strings(TEXTS)
    for pattern in PATTERNS + BAD:
        attrs = {'pattern': pattern}
        writer.add('StaticRegexFullMatch', {'input': texts}, attrs)
        writer.add('StaticRegexReplace', {'input': texts}, {**attrs, 'rewrite': r'<\0>', 'replace_global': True})
        inputs = {'input': texts, 'pattern': scalar(pattern)}
        writer.add('RegexFullMatch', inputs)
        for everywhere in (True, False):
            rewrite = scalar(data.choice(REWRITES))
            writer.add('RegexReplace', {**inputs, 'rewrite': rewrite}, {'replace_global': everywhere})
    for pattern, rewrite in (
        (r'(\w)(\w)', r'\2\1'),
        ('(a)|(b)', r'[\1\2]'),
        ('((((((((((a))))))))))', r'\9'),
        ('(?P<x>a)(b)?', r'\1-\2'),
        ('(a|ab)(c|bcd)?', r'\1,\2'),
        ('(a*)*', r'[\1]'),
        ('(a|b)*', r'[\1]'),
        ('(a*)(a*)', r'\1.\2'),
        ('(a*?)(a*)', r'\1.\2'),
    ):
        for everywhere in (True, False):
            writer.add(
                'StaticRegexReplace',
                {'input': texts},
                {'pattern': pattern, 'rewrite': rewrite, 'replace_global': everywhere},
            )
    for shape in [(), (0,), (2, 3)]:
        writer.add('StaticRegexFullMatch', {'input': words(data, shape)}, {'pattern': 'a.*'})
        writer.add('StaticRegexReplace', {'input': words(data, shape)}, {'pattern': '[aeiou]', 'rewrite': '.'})
        writer.add('RegexFullMatch', {'input': words(data, shape), 'pattern': scalar('a.*')})
        writer.add(
            'RegexReplace',
            {'input': words(data, shape), 'pattern': scalar('[aeiou]'), 'rewrite': scalar('.')},
            shapes_known=False,
        )
    writer.add('RegexFullMatch', {'input': texts, 'pattern': strings(['a'])})
    writer.add('RegexReplace', {'input': texts, 'pattern': scalar('a'), 'rewrite': strings(['a'])})
    writer.add('RegexReplace', {'input': texts, 'pattern': strings(['a']), 'rewrite': scalar('a')})
    alphabet = [
        'a',
        'b',
        'c',
        '.',
        '[ab]',
        '[^a]',
        'a*',
        'b+',
        'c?',
        '(a|b)',
        '(ab)*',
        '(?:a|bc)+',
        'a{1,2}',
        '^',
        '$',
        'b*?',
        '|',
        r'\b',
        '(a)?',
        '(a*)(b)',
    ]
    samples = strings(
        [''.join(data.choice('aabbc \n') for _ in range(int(data.rng.integers(0, 9)))) for _ in range(40)]
    )
    for _ in range(120 * scale):
        pattern = ''.join(data.choice(alphabet) for _ in range(int(data.rng.integers(1, 6))))
        if '$' in pattern[:-1] or '^' in pattern[1:]:
            continue
        writer.add('StaticRegexFullMatch', {'input': samples}, {'pattern': pattern})
        writer.add(
            'StaticRegexReplace',
            {'input': samples},
            {'pattern': pattern, 'rewrite': r'<\0>', 'replace_global': data.flip(0.8)},
        )


FAMILIES = {'regex': regex}
