/** The order and the outcomes of checks, without a phone. */
import { ApiError } from '@phonerack/shared'
import { expect, it } from 'vitest'
import { Failed, Skipped, type Check } from './check.js'
import type { PhoneUnderTest } from './phone.js'
import { allPassed, runChecks } from './run.js'
import { Unfinished } from './unfinished.js'

const phone = { unfinished: new Unfinished() } as PhoneUnderTest
const check = (name: string, needs: readonly string[], run: Check['run']): Check => ({
  name,
  needs,
  run,
  claim: `${name} works`,
  limitMs: 60_000,
})
const pass = (name: string, needs: readonly string[] = []): Check =>
  check(name, needs, () => Promise.resolve({ evidence: ['seen'] }))

const run = (checks: readonly Check[], interrupted = new AbortController()) =>
  runChecks({
    checks,
    phone,
    interrupted: interrupted.signal,
    onBegin: () => undefined,
    onEnd: () => undefined,
  })

it('runs checks in order, and skips checks whose needs did not pass', async () => {
  const results = await run([
    pass('first'),
    check('second', ['first'], () => Promise.reject(new Failed('no', { evidence: ['why'] }))),
    pass('third', ['second']),
    pass('fourth', ['third']),
    pass('fifth', ['first']),
  ])
  expect(results.map(({ name, verdict, reason }) => [name, verdict, reason])).toEqual([
    ['first', 'passed', null],
    ['second', 'failed', 'no'],
    ['third', 'skipped', 'needs second, which did not pass'],
    ['fourth', 'skipped', 'needs third, which did not pass'],
    ['fifth', 'passed', null],
  ])
  expect(results[1]?.evidence).toEqual(['why'])
  expect(allPassed(results)).toBe(false)
})

it('names an error by its code, message, details and causes', async () => {
  const results = await run([
    check('api', [], () =>
      Promise.reject(new ApiError('feature_unavailable', { details: { feature: 'x' } })),
    ),
    check('plain', [], () => Promise.reject(new Error('outer', { cause: new Error('inner') }))),
    { ...check('slow', [], () => new Promise(() => undefined)), limitMs: 20 },
    check('absent', [], () => Promise.reject(new Skipped('it has no vibrator'))),
  ])
  expect(results[0]?.reason).toMatch(/^feature_unavailable: .* \{"feature":"x"\}$/)
  expect(results[1]?.reason).toBe('outer: inner')
  expect(results[2]?.reason).toBe('slow took too long (at most 0 s)')
  expect(results[3]).toMatchObject({ verdict: 'skipped', reason: 'it has no vibrator' })
})

it('skips the remaining checks after an interruption, and then has not passed', async () => {
  const control = new AbortController()
  const results = await run(
    [
      pass('first'),
      check('second', [], () => {
        control.abort()
        return new Promise(() => undefined)
      }),
      pass('third'),
    ],
    control,
  )
  expect(results.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ['passed', null],
    ['skipped', 'the run was interrupted during this check'],
    ['skipped', 'the run was interrupted'],
  ])
  expect(allPassed(results)).toBe(false)
})

const locked = new Failed('the PIN is still set')

/** The check is interrupted while its setting must still be reset. */
async function interruptedWith(reset: () => Promise<void>) {
  const control = new AbortController()
  const interrupted = check('interrupted', [], ({ unfinished }, progress) =>
    unfinished.resetAfter(async () => {
      control.abort()
      await progress.sleep(60_000)
      return { evidence: [] }
    }, reset),
  )
  return (await run([interrupted, pass('later')], control)).map(({ verdict, reason }) => [verdict, reason])
}

it('waits for a reset after an interruption', async () => {
  let isReset = false
  const results = await interruptedWith(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    isReset = true
  })
  expect(isReset).toBe(true)
  expect(results).toEqual([
    ['skipped', 'the run was interrupted during this check'],
    ['skipped', 'the run was interrupted'],
  ])
})

it('fails an interrupted check that could not reset its setting', async () => {
  expect(await interruptedWith(() => Promise.reject(locked))).toEqual([
    ['failed', 'the run was interrupted during this check; the PIN is still set'],
    ['skipped', 'the run was interrupted'],
  ])
})

it('names a reset that failed within its check once', async () => {
  const leaves = check('leaves', [], ({ unfinished }) =>
    unfinished.resetAfter(
      () => Promise.resolve({ evidence: [] }),
      () => Promise.reject(locked),
    ),
  )
  expect(await run([leaves, pass('later')])).toMatchObject([
    { verdict: 'failed', reason: 'the PIN is still set' },
    { verdict: 'passed' },
  ])
})

it('does not pass a run with a skipped check, or without checks', async () => {
  expect(allPassed(await run([pass('first')]))).toBe(true)
  expect(allPassed(await run([pass('first'), pass('second', ['missing'])]))).toBe(false)
  expect(allPassed([])).toBe(false)
})
