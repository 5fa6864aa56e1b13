/**
 * Decides from a field's content whether typed text has arrived. Apps may reformat the
 * text (a phone number gets spaces), which is not a failure; lost characters are. Pure.
 */
import { folded } from '@phonerack/shared'

export interface FieldText {
  text: string
  /** Characters of a masked field; 0 when the phone does not show the characters. */
  maskedLength: number
  masked: boolean
  /** Whether the field is certainly empty, so that any text that it shows is a hint. */
  empty: boolean
}

/**
 * `arrived`; `differs`: the field holds something else; `kept`: text that should have
 * been cleared is still there; `hidden`: a masked field that does not reveal its
 * length.
 */
export type Verdict = 'arrived' | 'differs' | 'kept' | 'hidden'

export function judgeTyped(
  before: FieldText | null,
  cleared: boolean,
  typed: string,
  after: FieldText,
): Verdict {
  const old = before && !before.empty ? before : null
  return after.masked ? judgeMasked(old, cleared, typed, after) : judgeShown(old, cleared, typed, after.text)
}

function judgeMasked(old: FieldText | null, cleared: boolean, typed: string, after: FieldText): Verdict {
  if (after.maskedLength === 0) return 'hidden'
  const lengths = lengthsOf(typed)
  // The earlier dots may have been a hint, which not every phone reports.
  if (lengths.includes(after.maskedLength)) return 'arrived'
  const before = old?.maskedLength ?? 0
  if (!lengths.some((length) => before + length === after.maskedLength)) return 'differs'
  return cleared && before > 0 ? 'kept' : 'arrived'
}

/**
 * Returns the lengths that the mask of a text may have: one dot per UTF-16 unit, code point or visible character, since
 * Android versions differ.
 */
function lengthsOf(text: string): number[] {
  const visible = [...new Intl.Segmenter().segment(text)].length
  return [text.length, Array.from(text).length, visible]
}

function judgeShown(old: FieldText | null, cleared: boolean, typed: string, after: string): Verdict {
  const was = plain(old?.text ?? '')
  const got = plain(after)
  const wanted = formsOf(typed).find((form) => got.includes(form)) ?? plain(typed)
  if (wanted === '') return after === old?.text ? 'differs' : 'arrived'
  if (got === wanted) return 'arrived'
  // Unchanged, even if the field already contained the text.
  if (old && got === was) return 'differs'
  if (!got.includes(wanted) && !hasDigitsOf(typed, after)) return 'differs'
  if (isDoubled(was, wanted, got)) return 'differs'
  return cleared && was !== '' && got.length >= was.length + wanted.length ? 'kept' : 'arrived'
}

/**
 * Characters that XML cannot hold appear as a dot (`uiautomator dump`), as a
 * replacement character (the agent's reader), or not at all.
 */
function formsOf(typed: string): string[] {
  const forbidden =
    // oxlint-disable-next-line no-control-regex -- these characters are replaced
    /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufddf\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
  const forms = [typed, ...['.', '\ufffd', ''].map((shown) => typed.replace(forbidden, shown))]
  return [...new Set(forms.map(plain))]
}

/** Whether the text arrived twice: the content exceeds the old and typed text by exactly one more copy. */
function isDoubled(was: string, wanted: string, got: string): boolean {
  if (wanted === '' || got.length !== was.length + 2 * wanted.length) return false
  return got.split(wanted).length - was.split(wanted).length >= 2
}

/** Applies only to numbers with separators: phone numbers, dates, amounts, cards. */
function hasDigitsOf(typed: string, after: string): boolean {
  if (!/^[\d\s.,:;/()+\-–'’\p{Sc}%]*$/u.test(typed)) return false
  const digits = typed.replace(/\D/g, '')
  return digits !== '' && after.replace(/\D/g, '').includes(digits)
}

/** Fields also remove and insert spaces and line ends, so the comparison ignores spaces. */
const plain = (text: string): string => folded(text).replaceAll(' ', '')
