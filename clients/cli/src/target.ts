/** Targets of actions: `--text`, `--id`, `--desc`, `--ref` with `--snapshot`, `--xy`. */
import type { Target } from '@phonerack/sdk'
import type { Command } from 'commander'
import { UsageError } from './usage-error.js'

export interface TargetFlags {
  text?: string
  nth?: string
  id?: string
  desc?: string
  ref?: string
  snapshot?: string
  xy?: string
}

/** @param subject of the help text, such as `the field` */
export const targetOptions = (command: Command, subject = 'the element'): Command =>
  command
    .option('--text <text>', `${subject} with this text`)
    .option('--nth <n>', 'with --text: which of several matches, from 0')
    .option('--id <id>', `${subject} with this resource id`)
    .option('--desc <text>', `${subject} with this description`)
    .option('--ref <n>', `${subject} with this number in an observation`)
    .option('--snapshot <id>', 'with --ref: the snapshot that the number is from')
    .option('--xy <x,y>', 'a point in device pixels')

const forms = ['text', 'id', 'desc', 'ref', 'xy'] as const

/** The target of the options; undefined without a target. @param lastSnapshot the last snapshot ID in the shell */
export function targetOf(flags: TargetFlags, lastSnapshot: string | null = null): Target | undefined {
  const given = forms.filter((form) => flags[form] !== undefined)
  if (given.length > 1)
    throw new UsageError(`Give one target: ${given.map((form) => `--${form}`).join(' and ')} are given.`)
  if (flags.nth !== undefined && flags.text === undefined) throw new UsageError('--nth needs --text.')
  if (flags.snapshot !== undefined && flags.ref === undefined) throw new UsageError('--snapshot needs --ref.')
  if (flags.text !== undefined)
    return flags.nth === undefined
      ? { text: flags.text }
      : { text: flags.text, nth: wholeNumber(flags.nth, '--nth', 0) }
  if (flags.id !== undefined) return { id: flags.id }
  if (flags.desc !== undefined) return { desc: flags.desc }
  if (flags.xy !== undefined) return pointOf(flags.xy, '--xy')
  if (flags.ref === undefined) return undefined
  const snapshot = flags.snapshot ?? lastSnapshot
  if (snapshot === null)
    throw new UsageError(
      '--ref needs --snapshot.',
      'Read the screen first: `phone observe` prints the snapshot, and `observe` in the shell keeps it.',
    )
  return { ref: wholeNumber(flags.ref, '--ref', 1), snapshot_id: snapshot }
}

/** @throws UsageError without a target */
export function requiredTarget(flags: TargetFlags, lastSnapshot: string | null): Target {
  const target = targetOf(flags, lastSnapshot)
  if (target) return target
  throw new UsageError('The target is missing.', 'Give --text, --id, --desc, --ref with --snapshot, or --xy.')
}

export function pointOf(text: string, option: string): { x: number; y: number } {
  const match = /^\s*(-?\d{1,6})\s*,\s*(-?\d{1,6})\s*$/.exec(text)
  if (!match) throw new UsageError(`\`${option}\` must be a point in device pixels such as 540,1200.`)
  return { x: Number(match[1]), y: Number(match[2]) }
}

export function wholeNumber(text: string, option: string, least: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least)) throw new UsageError(`\`${option}\` must be a whole number from ${least}.`)
  return value
}
