/**
 * The program of `./scripts/runtimes`: it uses the SDK like an agent, and prints a line for each step that
 * succeeded. Deno and Bun run this file, and Node.js runs its compiled JavaScript. Its argument is an APK.
 */
import { createServer, type AddressInfo } from 'node:net'
import { readFile } from 'node:fs/promises'
import process from 'node:process'
import {
  ConnectionError,
  Phonerack,
  PhonerackError,
  tap,
  TargetNotFoundError,
  wait,
  type Phone,
  type UploadProgress,
} from '@phonerack/sdk'

const [apk = ''] = process.argv.slice(2)
const phonerack = new Phonerack()

function check(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Error(`unexpected: ${what}`)
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const value = await work()
  process.stdout.write(`${name}\n`)
  return value
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error('unexpected: the call did not fail')
}

/** @throws unless the call failed with `expected` */
async function fails(
  call: Promise<unknown>,
  code: string,
  isOutcomeUnknown: boolean,
): Promise<PhonerackError> {
  const error = await errorOf(call)
  check(error instanceof PhonerackError, String(error))
  check(error.code === code, `${error.code}: ${error.message}`)
  check(error.isOutcomeUnknown === isOutcomeUnknown, `isOutcomeUnknown is ${error.isOutcomeUnknown}`)
  return error
}

async function use(phone: Phone): Promise<void> {
  await step('list phones', async () => {
    const ids = (await phonerack.phones.list({ metadata: phone.data.metadata }).toArray()).map(({ id }) => id)
    check(ids.includes(phone.id), ids.join(' '))
  })
  await step('tap and observe', async () => {
    await phone.openApp('com.phonerack.notes')
    await phone.tap({ desc: 'New note' }, { timeout: 20_000 })
    await phone.type('Grüße 👋', { into: { text: 'Title' }, timeout: 20_000 })
    const screen = await phone.observe()
    check(screen.find({ text: 'Grüße 👋' }) !== null, screen.text)
  })
  await step('take a screenshot', async () => {
    const [, p, n, g] = await phone.screenshot({ format: 'png' })
    check(String.fromCharCode(p ?? 0, n ?? 0, g ?? 0) === 'PNG', 'not a PNG')
  })
  await step('write and read a file', async () => {
    await phone.files.write('/sdcard/Download/runtime.txt', 'milk')
    const bytes = await phone.files.read('/sdcard/Download/runtime.txt')
    check(new TextDecoder().decode(bytes) === 'milk', 'another content')
  })
  await step('fail an action', async () => {
    const error = await errorOf(phone.act([tap({ text: 'There is no such text' })]))
    check(error instanceof TargetNotFoundError, String(error))
    check(error.observation !== null && error.requestId !== null, 'no screen or no request ID')
  })
  await step('pass a deadline', async () => {
    const error = await fails(phone.act([wait(4000)], { deadline: 1000 }), 'timeout', true)
    check(error instanceof ConnectionError, error.name)
  })
  await step('abort a call', async () => {
    const stop = new AbortController()
    const enough = new RangeError('enough')
    setTimeout(() => stop.abort(enough), 300)
    check((await errorOf(phone.act([wait(4000)], { signal: stop.signal }))) === enough, 'another reason')
  })
}

/** Uploads with progress, and deletes the upload. */
async function upload(file: string | Uint8Array): Promise<void> {
  const seen: UploadProgress[] = []
  const made = await phonerack.apps.upload(file, { onProgress: (progress) => void seen.push(progress) })
  await phonerack.apps.deleteUpload(made.id)
  const fractions = seen.flatMap(({ part, fraction }) => (part === 'uploading' ? [fraction ?? -1] : []))
  const isGrowing = fractions.every((each, index) => each > (fractions[index - 1] ?? 0))
  check(isGrowing && fractions.length > 1 && fractions.at(-1) === 1, JSON.stringify(seen))
}

/** A port that refuses connections. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

let parked: Phone
{
  await using phone = await step('create a phone', () =>
    phonerack.phones.create({ name: 'runtime', metadata: { test: 'runtime' } }),
  )
  parked = phone
  await use(phone)
}
await step('park at the end of the block', async () => {
  check((await parked.refresh()).status === 'parked', parked.status)
})
await step('upload a file and bytes, with progress', async () => {
  await upload(apk)
  await upload(new Uint8Array(await readFile(apk)))
})
await step('be refused a connection', async () => {
  const other = new Phonerack({ baseUrl: `http://127.0.0.1:${await closedPort()}`, maxRetries: 0 })
  await fails(other.phones.handle(parked.id).park(), 'connection_failed', false)
})
await step('delete the phone', async () => {
  try {
    await parked.delete()
  } catch (error) {
    // An Agent key cannot delete, so the phone stays parked.
    if (!(error instanceof PhonerackError && error.code === 'insufficient_scope')) throw error
  }
})
