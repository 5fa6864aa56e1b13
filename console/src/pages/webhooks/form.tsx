/** The fields of a webhook: its address, the types of events, and a description. */
import { useState, type SubmitEvent } from 'react'
import { messageOf } from '../../api/client'
import { type EventType, type Webhook, type WebhookFields } from '../../api/types'
import { Button } from '../../ui/button'
import { DialogButtons } from '../../ui/dialog'
import { FormError, TextField, textOf } from '../../ui/field'

interface Props {
  /** Null: the form creates a webhook. */
  webhook: Webhook | null
  types: readonly EventType[]
  /** The verb of the button. */
  action: string
  isBusy: boolean
  error: unknown
  onSubmit: (fields: WebhookFields) => void
}

export function WebhookForm({ webhook, types, action, isBusy, error, onSubmit }: Props) {
  const [events, setEvents] = useState<readonly EventType[] | null>(webhook?.events ?? null)
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    onSubmit({
      url: textOf(event.currentTarget, 'url').trim(),
      events: events === null ? null : [...events],
      description: textOf(event.currentTarget, 'description').trim() || null,
    })
  }
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <TextField
        label="Address"
        name="url"
        type="url"
        required
        maxLength={2048}
        autoComplete="off"
        spellCheck={false}
        placeholder="https://agents.example.com/phonerack"
        defaultValue={webhook?.url ?? ''}
        hint="Each event is sent to this address as a POST, signed by Standard Webhooks."
      />
      <TextField
        label="Description"
        name="description"
        maxLength={200}
        autoComplete="off"
        defaultValue={webhook?.description ?? ''}
        hint="Optional. A note for people."
      />
      <Types types={types} chosen={events} onChange={setEvents} />
      <FormError>{error !== null && messageOf(error)}</FormError>
      <DialogButtons>
        <Button type="submit" look="primary" isBusy={isBusy} disabled={events?.length === 0}>
          {action}
        </Button>
      </DialogButtons>
    </form>
  )
}

interface TypesProps {
  types: readonly EventType[]
  /** Null: all types, including types of later releases. */
  chosen: readonly EventType[] | null
  onChange: (types: readonly EventType[] | null) => void
}

function Types({ types, chosen, onChange }: TypesProps) {
  const toggle = (type: EventType, isChosen: boolean): void =>
    onChange(isChosen ? [...(chosen ?? []), type] : (chosen ?? []).filter((each) => each !== type))
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium">Events</legend>
      <label className="flex min-h-7 items-center gap-2 max-md:min-h-10">
        <input type="radio" name="which" checked={chosen === null} onChange={() => onChange(null)} />
        All events of the project
      </label>
      <label className="flex min-h-7 items-center gap-2 max-md:min-h-10">
        <input type="radio" name="which" checked={chosen !== null} onChange={() => onChange([])} />
        Only certain types
      </label>
      {chosen !== null && (
        <div className="grid max-h-48 overflow-y-auto rounded-md border border-border px-3 py-1.5 sm:grid-cols-2">
          {types.map((type) => (
            <label key={type} className="flex min-h-7 min-w-0 items-center gap-2 max-md:min-h-10">
              <input
                type="checkbox"
                checked={chosen.includes(type)}
                onChange={({ target }) => toggle(type, target.checked)}
              />
              <span className="truncate font-mono text-[13px]">{type}</span>
            </label>
          ))}
        </div>
      )}
    </fieldset>
  )
}
