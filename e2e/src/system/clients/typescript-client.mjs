// A program with the TypeScript SDK: each line of stdin is a call, and each line of stdout is an outcome
// (line-client.ts). Argument: the repeats of a call.
import process from 'node:process'
import { createInterface } from 'node:readline'
import { Phonerack, PhonerackError } from '@phonerack/sdk'

const [maxRetries] = process.argv.slice(2)
const phonerack = new Phonerack(maxRetries === undefined ? {} : { maxRetries: Number(maxRetries) })

const calls = {
  create: ({ metadata, key: idempotencyKey }) => phonerack.phones.create({ metadata, idempotencyKey }),
  act: ({ phone, actions }) => phonerack.phones.handle(phone).act(actions, { observe: 'none' }),
  start: ({ phone, max_duration: maxDuration }) => phonerack.phones.handle(phone).start({ maxDuration }),
  observe: ({ phone }) => phonerack.phones.handle(phone).observe(),
}

async function outcomeOf({ call, ...given }) {
  try {
    return { phone: (await calls[call](given)).id ?? null }
  } catch (error) {
    if (!(error instanceof PhonerackError)) throw error
    return { error: { ...error.toJSON(), unknown: error.isOutcomeUnknown } }
  }
}

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await outcomeOf(JSON.parse(line)))}\n`)
