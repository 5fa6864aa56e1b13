/** Examples of steps. */
import { type StepJson } from '../../../phone-io/steps/types.js'
import { ids } from './ids.js'
import { one, type OperationExamples } from './kinds.js'

const screen = {
  snapshot_id: ids.snapshot,
  taken_at: '2026-11-21T12:51:07.204Z',
  app: { package: 'com.android.settings', activity: '.Settings' },
  keyboard: { visible: false, focused_editable: false },
  screen: { width: 1080, height: 2400 },
  elements: [
    {
      ref: 1,
      type: 'LinearLayout',
      text: 'Network & internet',
      desc: null,
      id: null,
      bounds: [0, 420, 1080, 640],
      center: [540, 530],
      state: ['clickable'],
    },
  ],
  truncated: false,
  text: 'app com.android.settings\nkeyboard hidden\nscreen 1080x2400\n[1] LinearLayout "Network & internet" clickable (540,530)',
}
const textOf = ({ elements: _, ...text }: typeof screen) => text

const step: StepJson = {
  object: 'step',
  id: ids.step,
  phone: ids.phone,
  session: ids.session,
  request_id: ids.request,
  status: 'succeeded',
  started_at: '2026-11-21T12:51:06.480Z',
  ended_at: '2026-11-21T12:51:07.230Z',
  duration_ms: 750,
  by: { via: 'mcp', client: 'claude-code/2.0', key_id: ids.key, key_name: 'agent' },
  observe: 'ui',
  actions: [{ type: 'open_app', package: 'com.android.settings' }],
  results: [{ index: 0, type: 'open_app', ok: true, ms: 412 }],
  completed: 1,
  error: null,
  text_kept: false,
  before: null,
  after: screen,
  picture: null,
  expires_at: '2026-11-28T12:51:06.480Z',
}
const typed: StepJson = {
  ...step,
  id: ids.otherStep,
  started_at: '2026-11-21T12:51:31.002Z',
  ended_at: null,
  duration_ms: null,
  status: 'unknown',
  by: { ...step.by, via: 'api', client: null },
  completed: 0,
  results: [],
  actions: [{ type: 'type', text: '[redacted]', target: { id: 'search' }, clear: false, submit: true }],
  error: {
    code: 'internal_error',
    message: 'The connection to the phone was lost. Some actions of the batch may have run.',
  },
  before: textOf(screen),
  after: null,
  expires_at: '2026-11-28T12:51:31.002Z',
}

export const stepExamples: Record<string, OperationExamples> = {
  listSteps: { answers: { 200: one('page', 'Newest first', { data: [typed, step], next_cursor: null }) } },
  getStep: { answers: { 200: one('step', 'A batch that succeeded', step) } },
  exportSteps: {
    text: one('script', 'A script, shortened', "await phone.openApp('com.android.settings')\n"),
    media: {
      'text/html': one('replay', 'The replay, shortened', '<!doctype html>\n<html lang="en">\n'),
      'application/jsonl': one('lines', 'Two steps', `${JSON.stringify(step)}\n${JSON.stringify(typed)}\n`),
    },
  },
}
