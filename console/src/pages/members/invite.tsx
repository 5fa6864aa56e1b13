import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, messageOf } from '../../api/client'
import { type Role } from '../../api/types'
import { Button } from '../../ui/button'
import { Secret } from '../../ui/copy'
import { Dialog, DialogButtons } from '../../ui/dialog'
import { FormError, SelectField, TextField } from '../../ui/field'

interface Props {
  project: string
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function Invite({ project, isOpen, onOpenChange }: Props) {
  const queries = useQueryClient()
  const send = useMutation({
    mutationFn: ({ email, role }: { email: string; role: Role }) =>
      call('POST /projects/:project/invitations', { project }, { email, role }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['members', project] }),
  })
  const close = (open: boolean): void => {
    send.reset()
    onOpenChange(open)
  }
  const made = send.data
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={close}
      isSticky={made !== undefined && made.url !== null}
      title={made ? (made.url === null ? 'The link was sent' : 'Send this link') : 'Invite a person'}
      description={
        made
          ? made.url === null
            ? `It was mailed to ${made.email}. It works once, within 7 days.`
            : `Give it to ${made.email}. It works once, within 7 days, and is not shown again.`
          : 'The person gets a link to join the project, with a new or an existing account.'
      }
    >
      {made ? (
        <>
          {made.url !== null && <Secret text={made.url} what="link" />}
          <div className="flex justify-end">
            <Button look="primary" onClick={() => close(false)}>
              Done
            </Button>
          </div>
        </>
      ) : (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            const fields = new FormData(event.currentTarget)
            send.mutate({ email: fields.get('email') as string, role: fields.get('role') as Role })
          }}
        >
          <TextField label="E-mail address" name="email" type="email" required autoComplete="off" />
          <SelectField label="Role" name="role" defaultValue="member">
            <option value="viewer">Viewer: only reads pages</option>
            <option value="member">Member: uses phones and keys</option>
            <option value="owner">Owner: also manages members</option>
          </SelectField>
          <FormError>{send.error && messageOf(send.error)}</FormError>
          <DialogButtons>
            <Button type="submit" look="primary" isBusy={send.isPending}>
              Create link
            </Button>
          </DialogButtons>
        </form>
      )}
    </Dialog>
  )
}
