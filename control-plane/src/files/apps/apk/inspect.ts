/**
 * Reads an APK in a separate process, which has limited memory and time and no access to our environment variables, so
 * that a malicious file can only affect a parser. Used by the processing of uploads and by the library.
 * the library.
 */
import { execFile, type ExecFileException } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { InvalidApk, verdictSchema, type ApkFacts } from './facts.js'

/** Milliseconds. */
const timeoutMs = 30_000
const heapMegabytes = 256
const maxAnswerBytes = 64_000

/** Tests run the sources; the child process always runs the build. */
const child = fileURLToPath(new URL('../../../../dist/files/apps/apk/child.js', import.meta.url))

const limits = 'The APK could not be read within the limits on time and memory.'

/** @throws InvalidApk for the file; any other error is a failure of this machine */
export async function inspectApk(path: string, signal?: AbortSignal): Promise<ApkFacts> {
  const verdict = verdictSchema.parse(JSON.parse(await run(path, signal)))
  if ('invalid' in verdict) throw new InvalidApk(verdict.invalid)
  return verdict.facts
}

function run(path: string, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [`--max-old-space-size=${heapMegabytes}`, child, path],
      {
        env: {},
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: maxAnswerBytes,
        ...(signal ? { signal } : {}),
      },
      (error, stdout, stderr) => {
        if (!error) resolve(stdout)
        else if (!signal?.aborted && wasTooMuch(error, stderr))
          reject(new InvalidApk(limits, { cause: error }))
        else reject(new Error(`could not read an APK: ${stderr.slice(0, 500)}`, { cause: error }))
      },
    )
  })
}

/** True if the timeout killed the process, or it ran out of memory. */
const wasTooMuch = (error: ExecFileException, stderr: string): boolean =>
  error.killed === true ||
  error.signal === 'SIGABRT' ||
  error.code === 134 ||
  stderr.includes('heap out of memory')
