/** The advice to an operator about a quarantined device, by its reason. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  claimedByTwo,
  cleanForNobody,
  contradicts,
  disputedTooOften,
  nextStepOf,
  notAdopted,
  notBelieved,
  notProven,
  outOfReach,
  reasonOf,
  startsKeepFailing,
  unknownUse,
  type Check,
} from './quarantine.js'

const failing = (...names: string[]): Check[] => [
  { name: 'accounts', passed: true, evidence: '0' },
  ...names.map((name) => ({ name, passed: false, evidence: `${name} was found` })),
]
const ofWipe = (...names: string[]) => {
  const checks = failing(...names)
  return { reason: reasonOf(checks.filter(({ passed }) => !passed)), checks }
}

interface Case {
  reason: string | null
  checks?: Check[]
  phoneId?: string
  link?: string
}
const adviceFor = ({ reason, checks = [], phoneId, link = 'healthy' }: Case) => {
  const step = nextStepOf({
    id: 'dev_r5',
    serial: 'R5',
    state: 'quarantined',
    link,
    reason,
    checks,
    phoneId: phoneId ?? null,
  })
  if (!step) throw new Error('no next step')
  return { first: step.first, commands: step.commands.map(({ words }) => words.join(' ')) }
}
const release = 'device release dev_r5'
const enroll = 'device enroll dev_r5 --erase'
const lost = { link: 'unenrolled' }

const cases: [string, Case, RegExp | null, string[]][] = [
  ['a wipe left accounts', ofWipe('accounts'), null, [release]],
  ['the agent refused the wipe', ofWipe('agent'), null, [release]],
  ['a memory card is in it', ofWipe('removable_storage'), /Remove the memory card/, [release]],
  ['a SIM is in it', ofWipe('sim_cards'), /Remove the SIM.*PHONERACK_ALLOW_SIMS=R5/, [release]],
  ['it has an eSIM profile', ofWipe('esim_profiles'), /Delete the eSIM/, [release]],
  ['it has a screen lock', ofWipe('lock_credential'), /Remove the screen lock/, [release]],
  [
    'two checks failed',
    ofWipe('sim_cards', 'removable_storage'),
    /Remove the SIM.*Remove the memory card/,
    [release],
  ],
  ['its image changed', ofWipe('sim_cards', 'system_image'), /reset the device/, ['device show dev_r5']],
  [
    'its host did not prove its claim',
    { reason: notProven('dev_other', 'rack', 'its signature is wrong.') },
    /Find out where the phone is connected/,
    ['device show dev_r5'],
  ],
  [
    'two hosts claim its phone',
    { reason: claimedByTwo('dev_other', 'rack'), ...lost },
    /Find out where the phone is connected/,
    ['device show dev_r5'],
  ],
  [
    'its new host did not take over the phone of a tenant',
    { reason: notAdopted('another key'), phoneId: 'ph_a', ...lost },
    /move the device/,
    ['device show dev_r5'],
  ],
  [
    'its new host did not take over the phone',
    { reason: notAdopted('another key'), ...lost },
    /move the device/,
    ['device show dev_r5', enroll],
  ],
  [
    'creates keep failing on it',
    { reason: startsKeepFailing(3, 'The screen is black.') },
    /Check the phone/,
    [release],
  ],
  [
    'its host is not believed',
    { reason: notBelieved(9n, 1n) },
    /host can be trusted/,
    ['device show dev_r5'],
  ],
  [
    'its host contradicts itself',
    { reason: contradicts(9n, 1n) },
    /Find out why/,
    ['device show dev_r5', release],
  ],
  [
    'its host disagrees too often',
    { reason: disputedTooOften(9n, 5) },
    /Find out why/,
    ['device show dev_r5', release],
  ],
  ['it was unreachable', { reason: outOfReach }, /link is healthy/, [release]],
  ['it is clean for nobody', { reason: cleanForNobody }, /PACKAGE_CLEAN_FOR_ALL/, [release]],
  ['its use is unknown', { reason: unknownUse, phoneId: 'ph_a' }, null, [release]],
  [
    'its agent lost its record while it held a phone',
    { reason: unknownUse, phoneId: 'ph_a', ...lost },
    null,
    [`${enroll} --fail-phone ph_a`],
  ],
  ['its agent lost its record', { ...ofWipe('agent'), ...lost }, null, [enroll]],
  ['its record was deleted', { reason: notBelieved(9n, 1n), ...lost }, null, [enroll]],
  ['its record was deleted after an update', { ...ofWipe('system_image'), ...lost }, null, [enroll]],
  ['it was unreachable and lost its record', { reason: outOfReach, ...lost }, /healthy/, [enroll]],
  [
    'it holds a phone that did not come back',
    { reason: 'The phone did not come back after its restart.', phoneId: 'ph_a' },
    /decide/,
    [`${release} --keep`, release],
  ],
  ['no reason is stored', { reason: null }, null, [release]],
]

it.each(cases)('names the next step when %s', (_what, held, first, commands) => {
  const advice = adviceFor(held)
  expect(advice.commands).toEqual(commands)
  if (first === null) expect(advice.first).toBeNull()
  else expect(advice.first).toMatch(first)
})

it('names only sections and commands that docs/operations.md has', () => {
  const text = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8')
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => title)
  const sections = cases.flatMap(([, held]) =>
    [adviceFor(held).first, held.reason].flatMap((advice) =>
      [...(advice ?? '').matchAll(/see "(.*?)" in docs/g)].map(([, title]) => title),
    ),
  )
  expect(sections.length).toBeGreaterThan(0)
  expect(headings).toEqual(expect.arrayContaining(sections))
  const commands = new Set(cases.flatMap(([, held]) => adviceFor(held).commands))
  // The documentation shows `--keep` as an option of the release command before it.
  const documented = [...commands].filter((words) => !words.endsWith('--keep'))
  expect(
    documented.filter(
      (words) => !text.includes(`ctl ${words.replace('dev_r5', 'ID').replace('ph_a', 'PHONE')}`),
    ),
  ).toEqual([])
  expect(text).toContain('`--keep`')
})

it('says that a release fails the phone that the device holds', () => {
  const held = { id: 'dev_r5', serial: 'R5', state: 'quarantined', link: 'healthy', reason: 'x', checks: [] }
  const doesOf = (phoneId: string | null) =>
    nextStepOf({ ...held, phoneId })
      ?.commands.map(({ does }) => does)
      .join()
  expect(doesOf('ph_a')).toContain('fails the phone')
  expect(doesOf(null)).not.toContain('fails')
})

it('does not use the checks of an earlier wipe as the reason, or quoted evidence as a check', () => {
  const checks = failing('removable_storage')
  expect(adviceFor({ reason: 'could not be started: no', checks }).first).toBeNull()
  const quoting = [{ name: 'files', passed: false, evidence: 'system_image: sim_cards: x' }]
  expect(adviceFor({ reason: reasonOf(quoting), checks: quoting }).commands).toEqual([release])
})

it('returns null for a device that is not quarantined', () => {
  const free = {
    id: 'dev_r5',
    serial: 'R5',
    state: 'free',
    link: 'healthy',
    reason: null,
    phoneId: null,
    checks: [],
  }
  expect(nextStepOf(free)).toBeNull()
})
