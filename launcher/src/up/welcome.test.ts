// The last lines of `up` about phones: each quarantined phone with the next step for its reason.
import { expect, it } from 'vitest'
import type { Device, NextStep } from '@phonerack/ctl/operator'
import { phoneNotes } from './welcome.js'

const device = (next_step: NextStep | null): Device => ({
  id: 'dev_a',
  host_id: 'host_a',
  serial: 'R 5',
  maker: null,
  model: null,
  sdk: null,
  state: 'quarantined',
  reason: 'sim_cards: one SIM',
  next_step,
  report_fault: null,
  phone_id: null,
  fencing_number: 1,
  clean_for: null,
  link: 'healthy',
  last_proof_at: null,
  capabilities: [],
  host_name: 'rack',
  host_state: 'online',
  drained_at: null,
  drain_until: null,
  maintenance: null,
  moving_since: null,
  claimed_since: null,
  has_identity: false,
  wipe_checks: [],
  events: [],
  condition: null,
})
const notes = (step: NextStep | null, isDefaultDir = true) =>
  phoneNotes({ dir: '/data', isDefaultDir, unenrolled: [], quarantined: [device(step)], otherAdb: false })

it('prints the next step before the command, and the command with the folder', () => {
  const step = {
    first: 'Take the SIM out.',
    commands: [{ does: 'wipes and checks it again', words: ['device', 'release', 'R 5'] }],
  }
  expect(notes(step, false)).toEqual([
    '',
    'Phone R 5 is quarantined: sim_cards: one SIM',
    '  Take the SIM out.',
    "  ./scripts/ctl device release 'R 5' --data /data    # wipes and checks it again",
  ])
})

it('advises no release for a reason that a release does not solve', () => {
  const step = { first: 'Find out why.', commands: [{ does: 'shows it', words: ['device', 'show', 'R5'] }] }
  const text = notes(step).join('\n')
  expect(text).toContain('Find out why.')
  expect(text).toContain('./scripts/ctl device show R5    # shows it')
  expect(text).not.toContain('release')
})

it('prints one command per choice of the operator, without control characters', () => {
  const commands = [
    { does: 'gives it\u001b[2J back', words: ['device', 'release', 'R5', '--keep'] },
    { does: 'wipes it', words: ['device', 'release', 'R5'] },
  ]
  expect(notes({ first: null, commands }).slice(2)).toEqual([
    '  ./scripts/ctl device release R5 --keep    # gives it back',
    '  ./scripts/ctl device release R5    # wipes it',
  ])
})

it("quotes a host's text after a command, since not every shell knows comments there", () => {
  const unenrolled = [{ ...device(null), maker: '; reboot', model: '$(id)', serial: "R5\n'\u0007" }]
  const place = { dir: '/data', isDefaultDir: true, quarantined: [], otherAdb: false }
  expect(phoneNotes({ ...place, unenrolled }).at(-1)).toBe(
    `  ./scripts/ctl device enroll dev_a --erase    # '; reboot $(id), R5 '\\'''`,
  )
})
