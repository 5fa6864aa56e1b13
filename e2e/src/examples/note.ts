/** The task of the examples. The model first tries an action that the guard refuses. */
import type { Turn } from './scripted-model.js'

export const note: readonly Turn[] = [
  { tool: 'observe', input: (phone_id) => ({ phone_id, screenshot: true }) },
  {
    tool: 'act',
    input: (phone_id) => ({ phone_id, actions: [{ type: 'open_app', package: 'com.android.vending' }] }),
  },
  {
    tool: 'act',
    input: (phone_id) => ({
      phone_id,
      actions: [
        { type: 'open_app', package: 'com.phonerack.notes' },
        { type: 'tap', target: { text: 'New note' } },
        { type: 'wait_for', target: { text: 'Title' } },
        { type: 'type', target: { text: 'Title' }, text: 'Milk' },
      ],
    }),
  },
  { say: 'The note is written.' },
]
