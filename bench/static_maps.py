#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Word vectors of every kind, mapped between languages of the Bibles, and what word translation by them gives.

For each kind of vectors, language and seed: train both sides (with different seeds), map them without a dictionary and
with MUSE's training pairs, and look MUSE's test pairs up: P@1 with nearest neighbour and CSLS among all words of the target,
how many of the 1 500 test words are covered, and the verdict of the map. `fake` in place of a language is English
against its own copy, each word after ::, trained with another seed; there the dictionary is every word.

    python3 bench/static_maps.py --isoglot build/isoglot --data ../shared/data --work /tmp/maps

What is there under --work is not made again, so a run that was broken off goes on; commands.txt there has every command.
Nothing but Python is needed."""
import argparse, json, os, re, shlex, subprocess, sys

TRAIN = {
    'skip-gram': 'word2vec --embed-model skipgram --init-uniform 1 --sample 1e-4 --epochs 10 --min-count 2',
    'CBOW': 'word2vec --embed-model cbow --init-uniform 1 --sample 1e-4 --epochs 10 --min-count 2',
    'fastText': 'fasttext --epochs 10 --min-count 2',
    'GloVe': 'glove --iterations 15 --x-max 10 --min-count 2',
}
LANGUAGES = {'spa': ('spa-rv1909', 'en-es'), 'rus': ('rus-synodal', 'en-ru'), 'deu': ('deu-elb1905', 'en-de'),
             'fra': ('fra-crampon1923', 'en-fr'), 'ell': ('ell-vamvas', 'en-el'), 'fin': ('fin-1938', 'en-fi'),
             'arb': ('arb-svd', 'en-ar'), 'vie': ('vie-1934', 'en-vi'), 'fake': ('fake', None)}
MAPS = {'unsupervised': '--cutoff {cutoff}', 'supervised': '--mode supervised --dictionary {train}'}

p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
p.add_argument('--isoglot', default='build/isoglot')
p.add_argument('--data', default='../shared/data', help='folder with bible/ and dict/muse/')
p.add_argument('--work', required=True, help='folder for vectors and results; they stay')
p.add_argument('--kinds', default=','.join(TRAIN))
p.add_argument('--languages', default='spa,rus', help=','.join(LANGUAGES))
p.add_argument('--maps', default='supervised,unsupervised', help=','.join(MAPS))
p.add_argument('--seeds', default='1', help='1,2,…: seed s trains the source with 2 s - 1 and the target with 2 s')
p.add_argument('--dim', type=int, default=300)
p.add_argument('--cutoff', type=int, default=4000, help='of the unsupervised map')
p.add_argument('--threads', type=int, default=1)
p.add_argument('--print-only', action='store_true', help='the table of what is there already')
a = p.parse_args()
a.isoglot = os.path.abspath(a.isoglot)
os.makedirs(a.work, exist_ok=True)
log = open(os.path.join(a.work, 'commands.txt'), 'a')


def isoglot(words, out):
    """Runs the program in the work folder; its output becomes the file `out` once it is whole."""
    path = os.path.join(a.work, out)
    if os.path.exists(path):
        return True
    if a.print_only:
        return False
    print('isoglot ' + words, file=log, flush=True)
    r = subprocess.run([a.isoglot] + shlex.split(words) + ['--threads', str(a.threads), '--quiet'], cwd=a.work, capture_output=True)
    if r.returncode != 0:
        sys.exit('isoglot %s: %s' % (words, r.stderr.decode(errors='replace')))
    with open(path + '.part', 'wb') as f:
        f.write(r.stdout)
    os.rename(path + '.part', path)
    return True


def plain(name):
    """A text under --work, made once: a plain file of a packed one of the data."""
    to = os.path.join(a.work, os.path.basename(name)[:-4])
    if not os.path.exists(to) and not a.print_only:
        with open(to + '.part', 'wb') as f:
            subprocess.run(['zstd', '-dc', os.path.join(a.data, name)], stdout=f, check=True)
        os.rename(to + '.part', to)
    return os.path.basename(to)


def copy_of_english():
    """Words of eng-kjv apart, and the same after ::; the dictionary of all of them."""
    verses = open(os.path.join(a.work, plain('bible/eng-kjv.tsv.zst')), encoding='utf-8')
    seen, names = {}, [os.path.join(a.work, n) for n in ('english.txt', 'fake.txt', 'fake.dict')]
    if all(map(os.path.exists, names)):
        return
    with open(names[0], 'w', encoding='utf-8') as e, open(names[1], 'w', encoding='utf-8') as f:
        for line in verses:
            words = re.findall(r'[^\W_]+|[^\w\s]', line.rstrip('\n').split('\t')[-1].lower())
            seen.update(dict.fromkeys(words))
            e.write(' '.join(words) + '\n')
            f.write(' '.join('::' + w for w in words) + '\n')
    with open(names[2], 'w', encoding='utf-8') as d:
        d.writelines('%s ::%s\n' % (w, w) for w in seen)


def vectors(kind, corpus, seed):
    name = '%s-%s-%d' % (kind, corpus, seed)
    if not os.path.exists(os.path.join(a.work, name + '.bin')):
        text, how = ('%s.txt' % corpus, '--split blanks') if corpus in ('english', 'fake') else \
            (plain('bible/%s.tsv.zst' % corpus), '--split words --lowercase')
        isoglot('embed %s --dim %d %s --seed %d --json --out %s.bin %s' % (TRAIN[kind], a.dim, how, seed, name, text), name + '.json')
    return name + '.bin'


def row(kind, language, way, seed):
    corpus, pair = LANGUAGES[language]
    name = '%s-%s-%s-%d' % (kind, language, way, seed)
    if not a.print_only and not os.path.exists(os.path.join(a.work, name + '.bli.json')):
        if pair is None:
            copy_of_english()
        source = vectors(kind, 'eng-kjv' if pair else 'english', 2 * seed - 1)
        target = vectors(kind, corpus, 2 * seed)
        train = plain('dict/muse/%s.0-5000.txt.zst' % pair) if pair else 'fake.dict'
        test = plain('dict/muse/%s.5000-6500.txt.zst' % pair) if pair else 'fake.dict'
        options = MAPS[way].format(cutoff=a.cutoff, train=train)
        mapped = [name + '-source.bin', name + '-target.bin']
        if os.path.exists(os.path.join(a.work, name + '.map.json')) and not all(os.path.exists(os.path.join(a.work, f)) for f in mapped):
            os.unlink(os.path.join(a.work, name + '.map.json'))
        isoglot('map %s %s %s --seed %d --json --out-source %s --out-target %s' % (source, target, options, seed, *mapped),
                name + '.map.json')
        isoglot('bli %s %s --dictionary %s --json' % (*mapped, test), name + '.bli.json')
        for f in mapped:
            os.unlink(os.path.join(a.work, f))
    try:
        m, b = [json.load(open(os.path.join(a.work, '%s.%s.json' % (name, x)), encoding='utf-8')) for x in ('map', 'bli')]
    except FileNotFoundError:
        return
    r, c = b['retrieval'], b['coverage']
    verdicts.append('%s, %s, %s, seed %d: %s' % (kind, language, way, seed, m['diagnosis']['verdict']))
    print('| %s | %s | %s | %d | %.1f | %.1f | %d of %d | %s | %s |' % (
        kind, language, way, seed, 100 * r['nn']['p@1'], 100 * r['csls']['p@1'], c['source_words'], c['all_source_words'],
        '%d, %.3f' % (m['rounds'], m['objective'][-1]) if m['objective'] else '', 'degenerate' if m['diagnosis']['degenerate'] else 'no sign'), flush=True)


verdicts = []
print('| vectors | target | map | seed | P@1 nn | P@1 CSLS | words | rounds, objective | verdict |')
print('|---|---|---|---:|---:|---:|---:|---:|---|')
for way in a.maps.split(','):
    for seed in map(int, a.seeds.split(',')):
        for kind in a.kinds.split(','):
            for language in a.languages.split(','):
                if language != 'fake' or way != 'supervised':
                    row(kind, language, way, seed)
print('\n' + '\n'.join(verdicts))
