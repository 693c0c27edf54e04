/** Letters that look like Latin ones. Letters that Unicode decomposes (fullwidth, mathematical, circled) are not listed. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: 'АаΑαɑᴀᎪꓮⲀⲁạ',
  ae: 'æӕ',
  b: 'ВвЬьΒβʙᏴꓐƀɓ',
  c: 'СсϹϲᴄᏟꓚⲤⲥƈ',
  d: 'ԁᴅᎠꓓđɖɗð',
  e: 'ЕеΕεЄєᴇᎬꓰɛəℯ℮',
  f: 'ϜꜰꓝƒԲ',
  g: 'ԌԍɡɢᏀꓖցɠ',
  h: 'НнҺһΗʜᎻꓧհħ',
  j: 'Јјϳᴊյꓙɉʝ',
  k: 'КкΚκᴋᏦꓗƙ',
  l: 'İıiІіӀӏΙιɩɪʟłꓲꓡᏞᏆᎥ1|!ǀاוןⅠɭյ׀∣⏽ւ',
  m: 'МмΜᴍᎷꓟɱ',
  n: 'ΝηɴꓠոռпПɲŋ',
  o: 'ОоΟοσᴏՕօⲞⲟꓳסه0߀०০੦૦௦౦೦൦๐໐၀øɵѲѳΘθ',
  oe: 'œ',
  p: 'РрΡρᴘᏢꓑⲢⲣþƿք',
  q: 'ԚԛզգɊɋ',
  r: 'ГгΓʀᎡꓣɾɼᴦ',
  s: 'ЅѕʂꜱᏚꓢՏςƽ',
  ss: 'ßẞ',
  t: 'ТтΤτᴛᎢꓔŧ',
  u: 'υᴜսՍꓴʊμµ',
  v: 'νѴѵᴠᏙꓦʋ∨',
  w: 'ԜԝѠѡωᴡᎳᏔꓪաɯɰ',
  x: 'ХхΧχⲬⲭꓫ×ᕽ',
  y: 'УуҮүΥγʏᎽꓬɏ',
  z: 'ΖζᴢᏃꓜƶ',
  '-': '‐‑‒–—―−﹘➖ー_',
  "'": '’‘ʼʹ`´',
}

const latin = new Map(
  Object.entries(LOOKALIKES).flatMap(([to, from]) => [...from].map((letter) => [letter, to] as const)),
)

/** Marks, controls, spaces, and invisible characters such as Hangul fillers and the blank Braille pattern. */
const unseen = /[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Letters in boxes and flags, which Unicode does not decompose: each block holds A to Z in order. */
const BOXED_FROM = [0x1f150, 0x1f170, 0x1f1e6]

/**
 * Folds a name so that names that look the same become equal. For comparison only; different names may fold together (0 and o,
 * l and 1 and I, rn and m).
 */
export function foldName(name: string): string {
  const plain = [...name.normalize('NFKD').replaceAll(unseen, '')].map(lookOf).join('')
  return plain.normalize('NFKD').replaceAll(unseen, '').replaceAll('rn', 'm').replaceAll('vv', 'w')
}

/** Capitals first: a capital may look like another letter than its lower-case form. */
function lookOf(letter: string): string {
  const small = (latin.get(letter) ?? unboxed(letter)).toLowerCase()
  return [...small].map((one) => latin.get(one) ?? one).join('')
}

function unboxed(letter: string): string {
  const code = letter.codePointAt(0) ?? 0
  const from = BOXED_FROM.find((first) => code >= first && code < first + 26)
  return from === undefined ? letter : String.fromCodePoint(0x61 + code - from)
}
