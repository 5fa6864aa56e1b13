/** Examples of reading and using a screen: a phone's Settings app. */
import type { ActionBatchResult, Observation } from '@phonerack/shared'
import { ids } from './ids.js'
import { one, type OperationExamples } from './kinds.js'

const screenText = [
  'app com.android.settings',
  'keyboard hidden',
  'screen 1080x2400',
  '[1] TextView "Settings" #homepage_title (236,252)',
  '[2] LinearLayout "Search settings" #search_action_bar clickable (540,430)',
  '[3] LinearLayout "Battery, 100%" clickable (540,1218)',
].join('\n')

const settings: Observation = {
  snapshot_id: ids.snapshot,
  taken_at: '2026-11-21T12:49:24.509Z',
  app: { package: 'com.android.settings', activity: 'com.android.settings.Settings' },
  keyboard: { visible: false, focused_editable: false },
  screen: { width: 1080, height: 2400 },
  elements: [
    {
      ref: 1,
      type: 'TextView',
      text: 'Settings',
      desc: null,
      id: 'com.android.settings:id/homepage_title',
      bounds: [63, 189, 410, 315],
      center: [236, 252],
      state: [],
    },
    {
      ref: 2,
      type: 'LinearLayout',
      text: 'Search settings',
      desc: null,
      id: 'com.android.settings:id/search_action_bar',
      bounds: [32, 357, 1048, 504],
      center: [540, 430],
      state: ['clickable'],
    },
    {
      ref: 3,
      type: 'LinearLayout',
      text: 'Battery, 100%',
      desc: null,
      id: null,
      bounds: [32, 1124, 1048, 1313],
      center: [540, 1218],
      state: ['clickable'],
    },
  ],
  truncated: false,
  text: screenText,
}

const completed: ActionBatchResult = {
  results: [
    {
      index: 0,
      type: 'open_app',
      ok: true,
      ms: 341,
      activity: 'com.android.settings.Settings',
      app: { package: 'com.android.settings', activity: 'com.android.settings.Settings' },
    },
    { index: 1, type: 'wait_for', ok: true, ms: 508 },
  ],
  completed: 2,
  observation: settings,
}

const scrolled: ActionBatchResult = {
  results: [
    { index: 0, type: 'scroll_to', ok: true, ms: 2140, moved: true, at_end: null },
    { index: 1, type: 'tap', ok: true, ms: 96, resolved: { center: [540, 1218], ref: 3 } },
  ],
  completed: 2,
  observation: {
    snapshot_id: ids.snapshot,
    taken_at: settings.taken_at,
    app: settings.app,
    keyboard: settings.keyboard,
    screen: settings.screen,
    truncated: false,
    text: screenText,
  },
}

const stopped: ActionBatchResult = {
  results: [
    {
      index: 0,
      type: 'tap',
      ok: false,
      ms: 168,
      error: {
        code: 'target_not_found',
        message: 'No element on the screen matches the target.',
        retryable: false,
        next: 'Target an element of `observation`.',
        details: {
          target: { text: 'Search' },
          candidates: [
            {
              ref: 2,
              type: 'LinearLayout',
              text: 'Search settings',
              desc: null,
              id: 'com.android.settings:id/search_action_bar',
              center: [540, 430],
            },
          ],
          snapshot_id: ids.snapshot,
        },
      },
    },
  ],
  completed: 0,
  observation: settings,
}

const running = {
  object: 'recording',
  id: ids.recording,
  phone: ids.phone,
  name: 'Sign in',
  status: 'recording',
  started_at: '2026-11-21T12:49:31.020Z',
  ended_at: null,
  duration_ms: null,
  size_bytes: null,
  expires_at: '2026-11-28T12:49:31.020Z',
}
const ended = { status: 'processing', ended_at: '2026-11-21T12:51:02.447Z' }
const ready = {
  ...running,
  id: ids.earlierRecording,
  name: null,
  status: 'ready',
  started_at: '2026-11-20T08:12:03.771Z',
  ended_at: '2026-11-20T08:12:45.203Z',
  duration_ms: 41_432,
  size_bytes: 3_870_112,
  expires_at: '2026-11-27T08:12:03.771Z',
}

export const screenExamples: Record<string, OperationExamples> = {
  observe: {
    answers: { 200: one('settings', 'The Settings app', settings) },
    text: one('settings', 'With `format=text`', screenText),
  },
  runActions: {
    body: {
      open: {
        summary: 'Open an app and wait for its first screen',
        value: {
          actions: [
            { type: 'open_app', package: 'com.android.settings' },
            { type: 'wait_for', target: { text: 'Search settings' }, timeout_ms: 5000 },
          ],
        },
      },
      search: {
        summary: 'Tap an element of the last observation, type, press enter',
        value: {
          actions: [
            { type: 'tap', target: { ref: 2, snapshot_id: ids.snapshot } },
            { type: 'type', text: 'battery', submit: true },
          ],
          observe: 'both',
        },
      },
      text: {
        summary: 'Scroll to an element and tap it; only the text form of the screen',
        value: {
          actions: [
            { type: 'scroll_to', target: { text: 'Battery' } },
            { type: 'tap', target: { text: 'Battery' } },
          ],
          observe: 'text',
        },
      },
    },
    answers: {
      200: {
        text: { summary: 'All actions succeeded; text form, with `observe: text`', value: scrolled },
        completed: { summary: 'All actions succeeded', value: completed },
        stopped: { summary: 'Stopped at a failed action', value: stopped },
      },
    },
  },
  startRecording: {
    body: one('named', 'With a name', { name: 'Sign in' }),
    answers: { 201: one('recording', 'Recording', running) },
  },
  listRecordings: {
    answers: {
      200: one('recordings', 'One is running, one is ready for download', { data: [running, ready] }),
    },
  },
  stopRecording: {
    answers: { 200: one('recording', 'The video is being processed', { ...running, ...ended }) },
  },
  deleteRecording: { answers: { 200: one('deleted', 'Deleted', { id: ids.recording, deleted: true }) } },
  createLiveLink: {
    body: {
      an_hour: { summary: 'Expires in one hour', value: { expires_in: 3600 } },
      watch: { summary: 'Watch only, expires in ten minutes', value: { expires_in: 600, control: false } },
    },
    answers: {
      201: one('link', 'Anyone with the link has access', {
        url: 'https://phones.example.com/live#prl_Zk7vQ2xTnW4mC9yBdR5HgLs8PfUoEa3iXJ6NqtVhKb1',
        expires_at: '2026-11-21T13:49:31.020Z',
      }),
    },
  },
}
