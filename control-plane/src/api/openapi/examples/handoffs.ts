/** Examples of handing a phone over to a person. */
import type { HandoffJson } from '../../routes/phones/handoffs.js'
import { ids } from './ids.js'
import { one, type OperationExamples } from './kinds.js'

const open: HandoffJson = {
  object: 'handoff',
  id: ids.handoff,
  phone: ids.phone,
  status: 'open',
  message: 'Please sign in to the bank app. The code comes by message.',
  note: null,
  created_at: '2026-11-21T12:49:31.020Z',
  taken_at: null,
  ended_at: null,
  expires_at: '2026-11-21T13:49:31.020Z',
}
const taken: HandoffJson = { ...open, status: 'taken', taken_at: '2026-11-21T12:51:12.884Z' }
const done: HandoffJson = {
  ...taken,
  status: 'done',
  note: 'I am in. It asks for the code again each morning.',
  ended_at: '2026-11-21T12:53:40.115Z',
}
const declined: HandoffJson = {
  ...open,
  status: 'declined',
  note: 'I do not have the card with me.',
  ended_at: '2026-11-21T12:50:02.310Z',
}

export const handoffExamples: Record<string, OperationExamples> = {
  createHandoff: {
    body: {
      an_hour: { summary: 'Expires in one hour', value: { message: open.message } },
      short: { summary: 'Expires in ten minutes', value: { message: 'Solve the puzzle.', expires_in: 600 } },
      taken: {
        summary: 'The person takes over without being asked',
        value: { message: 'Ann checks the order.', taken: true },
      },
    },
    answers: {
      201: one('open', 'Not taken yet', {
        ...open,
        url: 'https://phones.example.com/live#prl_Zk7vQ2xTnW4mC9yBdR5HgLs8PfUoEa3iXJ6NqtVhKb1',
      }),
    },
  },
  getHandoff: {
    answers: {
      200: {
        done: { summary: 'Done', value: done },
        declined: { summary: 'Declined', value: declined },
        taken: { summary: 'The person is in control', value: taken },
      },
    },
  },
  deleteHandoff: {
    answers: {
      200: one('deleted', 'The agent controls the phone again', { id: ids.handoff, deleted: true }),
    },
  },
}
