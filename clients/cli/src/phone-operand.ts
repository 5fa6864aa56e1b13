/** The phone of a command: its first operand, an id or a name, or else the default phone. */
import { NotFoundError, type Phone } from '@phonerack/sdk'
import type { Command } from 'commander'
import type { Run } from './app.js'
import { plain } from '@phonerack/shared/plain'
import { UsageError } from './usage-error.js'

const isPhoneId = (text: string): boolean => /^ph_[a-z2-7]{12}$/.test(text)

/** Optional operands. */
const optional = new Set(['phone', 'folder'])

/** `[options] [phone] <text>`. Commander cannot express an optional operand before a required one. */
export const usageOf = ({ registeredArguments }: Command): string =>
  [
    '[options]',
    ...registeredArguments.map((each) => {
      const name = each.name()
      return each.required || !optional.has(name) ? `<${name}>` : `[${name}]`
    }),
  ].join(' ')

export interface Operands {
  /** Null: the default phone. */
  phone: string | null
  rest: readonly string[]
}

/** @param names the names of the operands after the phone, which are all required */
export function splitOperands(operands: readonly string[], names: readonly string[]): Operands {
  if (operands.length === names.length + 1) return { phone: operands[0] ?? null, rest: operands.slice(1) }
  const only = operands[0]
  if (operands.length === names.length && !(only !== undefined && isPhoneId(only)))
    return { phone: null, rest: operands }
  if (operands.length > names.length + 1)
    throw new UsageError(`Too many operands: ${operands.length}.`, 'Put quotes around text with spaces.')
  const missing = names.slice(Math.max(0, operands.length - 1)).map((name) => `<${name}>`)
  throw new UsageError(`Missing: ${missing.join(' ')}.`)
}

/**
 * Finds the phone of an id or name. An id needs no request. @throws NotFoundError for an unknown name, UsageError for a
 * name of several phones
 */
export async function phoneOf(run: Run, given: string | null): Promise<Phone> {
  const { client, defaultPhone } = await run.session()
  const wanted = given ?? defaultPhone
  if (wanted === null)
    throw new UsageError(
      'The phone is missing.',
      'Name it by id or name, or set a default with `phonerack phone use <phone>`.',
    )
  if (isPhoneId(wanted)) return client.phones.handle(wanted)
  const found: Phone[] = []
  for await (const phone of client.phones.list(run.call)) if (phone.name === wanted) found.push(phone)
  const [first] = found
  const name = plain(wanted)
  if (first === undefined)
    throw new NotFoundError({
      type: 'not_found_error',
      code: 'phone_not_found',
      message: `No phone has the name or id "${name}".`,
      next: '`phonerack phone list` shows all.',
      retryable: false,
      details: { name: wanted },
    })
  if (found.length === 1) return first
  const ids = found.map(({ id }) => id)
  throw new UsageError(`${found.length} phones have the name "${name}": ${ids.join(', ')}.`, 'Use the id.', {
    phones: ids,
  })
}
