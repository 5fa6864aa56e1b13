/** The apps, links and fields that the profile `guarded` leaves to a person. Pure. docs/decisions/0268 */
import {
  fieldParts,
  fieldWords,
  guardedHosts,
  storePackages,
  walletActivities,
  walletPackages,
} from './guard-list.js'
import { plain as filtered } from './plain.js'

export type GuardReason = 'store' | 'wallet' | 'password_field' | 'payment_field'

const stores: ReadonlySet<string> = new Set(storePackages)
const wallets: ReadonlySet<string> = new Set(walletPackages)

/** The kind of a guarded app; null: agents may use the app. `activity`: the full class name, if it is known. */
export function guardedApp(packageName: string, activity: string | null = null): GuardReason | null {
  if (stores.has(packageName)) return 'store'
  const pays = activity !== null && walletActivities.some((start) => activity.startsWith(start))
  return wallets.has(packageName) || pays ? 'wallet' : null
}

/**
 * The guarded app whose folder in shared storage contains the path; null: none. Android's file system ignores case,
 * forms of
 * one character and characters that show nothing. @param path begins with `/sdcard`
 */
export function guardedFolder(path: string): string | null {
  const folded = foldedPath(path)
  const name = /^\/sdcard\/android\/(?:data|obb|media)\/([^/]+)/.exec(folded)?.[1]
  return [...stores, ...wallets].find((each) => foldedPath(each) === name) ?? null
}

const foldedPath = (text: string): string => filtered(text).normalize('NFKD').toLowerCase()

/** Whether the link opens a guarded app. `url`: valid. */
export function isGuardedUrl(url: string): boolean {
  const host = new URL(url).hostname.toLowerCase().replace(/\.$/, '')
  return guardedHosts.some((listed) => host === listed || host.endsWith(`.${listed}`))
}

interface GuardedField {
  /** The phone reports that it masks the text. */
  password: boolean
  /** The resource ID. */
  id: string
  /** Hint and description. */
  labels: readonly string[]
}

/** The kind of a guarded field; null: agents may fill the field. */
export function guardedField({ password, id, labels }: GuardedField): GuardReason | null {
  if (password) return 'password_field'
  const texts = [id.replace(/^.*[:/]/, ''), ...labels]
  if (texts.some((text) => names(text, 'password'))) return 'password_field'
  return texts.some((text) => names(text, 'payment')) ? 'payment_field' : null
}

/** The text without accents, in lower case. */
const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
const squashed = (text: string): string => plain(text).replaceAll(/[^\p{L}\p{N}]/gu, '')
/** `cardCvv` has two words, like `card_cvv`. */
const wordsOf = (text: string): string[] =>
  plain(text.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')).split(/[^\p{L}\p{N}]+/u)

const words = { password: new Set<string>(fieldWords.password), payment: new Set<string>(fieldWords.payment) }
const parts = { password: fieldParts.password.map(squashed), payment: fieldParts.payment.map(squashed) }

function names(text: string, kind: 'password' | 'payment'): boolean {
  const whole = squashed(text)
  return (
    wordsOf(text).some((word) => words[kind].has(word)) || parts[kind].some((part) => whole.includes(part))
  )
}
