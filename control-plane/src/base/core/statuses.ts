export const phoneStatuses = [
  'creating',
  'starting',
  'ready',
  'parking',
  'parked',
  'unavailable',
  'failed',
  'deleted',
] as const

export type PhoneStatus = (typeof phoneStatuses)[number]

/** `delete`: the phone is deleted whenever it would park, by itself or at its client's request. */
export const onIdleChoices = ['park', 'delete'] as const

export type OnIdle = (typeof onIdleChoices)[number]

export const endReasons = [
  'parked',
  'idle',
  'max_duration',
  'deleted',
  'failed',
  'unavailable',
  'project_frozen',
  'service_paused',
] as const

export type EndReason = (typeof endReasons)[number]

export const handoffStatuses = ['open', 'taken', 'done', 'declined', 'expired'] as const

export type HandoffStatus = (typeof handoffStatuses)[number]
