/** Converts romaji to kana letter by letter, like a Japanese keyboard, and offers conversions of a reading. Pure. */

const VOWELS = 'aiueo'
/** Consonants, and the syllables with a, i, u, e, o; a space where there is none. */
const ROWS: Readonly<Record<string, string>> = {
  '': 'あ い う え お',
  k: 'か き く け こ',
  g: 'が ぎ ぐ げ ご',
  s: 'さ し す せ そ',
  z: 'ざ じ ず ぜ ぞ',
  t: 'た ち つ て と',
  d: 'だ ぢ づ で ど',
  n: 'な に ぬ ね の',
  h: 'は ひ ふ へ ほ',
  b: 'ば び ぶ べ ぼ',
  p: 'ぱ ぴ ぷ ぺ ぽ',
  m: 'ま み む め も',
  y: 'や - ゆ - よ',
  r: 'ら り る れ ろ',
  w: 'わ うぃ - うぇ を',
  f: 'ふぁ ふぃ ふ ふぇ ふぉ',
  j: 'じゃ じ じゅ じぇ じょ',
  sh: 'しゃ し しゅ しぇ しょ',
  ch: 'ちゃ ち ちゅ ちぇ ちょ',
  ts: '- - つ - -',
  ky: 'きゃ - きゅ - きょ',
  gy: 'ぎゃ - ぎゅ - ぎょ',
  sy: 'しゃ - しゅ - しょ',
  ty: 'ちゃ - ちゅ - ちょ',
  ny: 'にゃ - にゅ - にょ',
  hy: 'ひゃ - ひゅ - ひょ',
  by: 'びゃ - びゅ - びょ',
  py: 'ぴゃ - ぴゅ - ぴょ',
  my: 'みゃ - みゅ - みょ',
  ry: 'りゃ - りゅ - りょ',
}

const SYLLABLES = new Map<string, string>(
  Object.entries(ROWS).flatMap(([consonant, row]) =>
    row
      .split(' ')
      .map((kana, at): [string, string] => [consonant + (VOWELS[at] ?? ''), kana])
      .filter(([, kana]) => kana !== '-'),
  ),
)

const isConsonant = (letter: string): boolean => /[b-df-hj-np-tv-z]/.test(letter)

/** Letters of an incomplete syllable stay unchanged, at the end. */
export function toKana(romaji: string): string {
  let kana = ''
  for (let at = 0; at < romaji.length;) {
    const [here = '', next = ''] = [romaji[at], romaji[at + 1]]
    if (here === 'n' && next === 'n') {
      kana += 'ん'
      at += 2
      continue
    }
    if (here === 'n' && isConsonant(next) && next !== 'y') {
      kana += 'ん'
      at += 1
      continue
    }
    if (here === next && isConsonant(here)) {
      kana += 'っ'
      at += 1
      continue
    }
    const length = [3, 2, 1].find((count) => SYLLABLES.has(romaji.slice(at, at + count))) ?? 0
    kana += length === 0 ? here : (SYLLABLES.get(romaji.slice(at, at + length)) ?? '')
    at += Math.max(1, length)
  }
  return kana
}

/** Hiragana and katakana have the same order, at this offset. */
const KATAKANA = 0x60
const toKatakana = (kana: string): string =>
  kana.replace(/[ぁ-ゖ]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + KATAKANA))

/** A few words; a real keyboard has a hundred thousand. */
const WORDS: Readonly<Record<string, string>> = {
  にほん: '日本',
  にほんご: '日本語',
  とうきょう: '東京',
  おおさか: '大阪',
  きょう: '今日',
  あした: '明日',
  わたし: '私',
  ひと: '人',
  みず: '水',
  やま: '山',
  かわ: '川',
  がっこう: '学校',
  せんせい: '先生',
  でんしゃ: '電車',
  でんわ: '電話',
  たべもの: '食べ物',
}

/** The conversions of the letters: hiragana first, a word if there is one, katakana. */
export function candidates(romaji: string): string[] {
  // The end of a word completes a lone n.
  const kana = toKana(romaji.replace(/(?<!n)n$/, 'nn'))
  const word = WORDS[kana]
  return [kana, ...(word === undefined ? [] : [word]), toKatakana(kana)]
}
