/** Creates a key, and shows it once with examples of its use. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { call, messageOf } from '../../api/client'
import { useSession } from '../../api/session'
import { type CreatedKey, type NewKey as Fields } from '../../api/types'
import { Button } from '../../ui/button'
import { Secret } from '../../ui/copy'
import { Dialog, DialogButtons } from '../../ui/dialog'
import { FormError, TextField } from '../../ui/field'
import { PhoneChoice } from './phone-choice'
import { ExpiryField, RightsFields, rightsOf } from './rights-fields'
import { Snippets } from './snippets'

interface Props {
  project: string
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function NewKey({ project, isOpen, onOpenChange }: Props) {
  const [created, setCreated] = useState<CreatedKey | null>(null)
  const close = (open: boolean): void => {
    if (!open) setCreated(null)
    onOpenChange(open)
  }
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={close}
      isSticky={created !== null}
      closeQuestion={created ? 'Close without copying the key?' : undefined}
      title={created ? 'Copy your key now' : 'New API key'}
      {...(created ? { description: 'It is not shown again. Only its hash is stored.' } : {})}
    >
      {created ? (
        <Created created={created} onDone={() => close(false)} />
      ) : (
        <Form project={project} onCreated={setCreated} />
      )}
    </Dialog>
  )
}

function Form({ project, onCreated }: { project: string; onCreated: (key: CreatedKey) => void }) {
  const queries = useQueryClient()
  const [phones, setPhones] = useState<readonly string[] | null>(null)
  const create = useMutation({
    mutationFn: (fields: Fields) => call('POST /projects/:project/keys', { project }, fields),
    async onSuccess(key) {
      onCreated(key)
      await queries.invalidateQueries({ queryKey: ['keys', project] })
    },
  })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const name = new FormData(event.currentTarget).get('name') as string
    create.mutate({ name, ...rightsOf(event.currentTarget, phones) })
  }
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <TextField
        label="Name"
        name="name"
        required
        maxLength={80}
        autoComplete="off"
        placeholder="Checkout agent"
      />
      <RightsFields />
      <ExpiryField />
      <PhoneChoice project={project} chosen={phones} onChange={setPhones} />
      <FormError>{create.error && messageOf(create.error)}</FormError>
      <DialogButtons>
        <Button type="submit" look="primary" isBusy={create.isPending} disabled={phones?.length === 0}>
          Create key
        </Button>
      </DialogButtons>
    </form>
  )
}

function Created({ created, onDone }: { created: CreatedKey; onDone: () => void }) {
  const { base_url: baseUrl } = useSession()
  return (
    <div className="grid min-w-0 gap-4">
      <Secret text={created.key} what="key" />
      <Snippets baseUrl={baseUrl} apiKey={created.key} />
      <div className="flex justify-end">
        <Button look="primary" onClick={onDone}>
          I have copied it
        </Button>
      </div>
    </div>
  )
}
