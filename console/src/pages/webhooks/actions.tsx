/** The actions of a member on a webhook. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, Pencil, Power, RefreshCw, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import {
  changeWebhook,
  deleteWebhook,
  switchWebhook,
  testWebhook,
  type Webhook,
  type WebhookFields,
} from '../../api/webhooks'
import { Button } from '../../ui/button'
import { Ask, Confirm, Dialog } from '../../ui/dialog'
import { Menu, MenuItem } from '../../ui/menu'
import { WebhookForm } from './form'
import { Rotate } from './rotate'

interface Props {
  project: string
  webhook: Webhook
  types: readonly string[]
  /** Left out when only the row disappears. */
  onDeleted?: () => void
}

/** Runs a change, then reads webhooks and deliveries again. */
export function useWebhookChange(project: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    onError: (error) => void toast.error(messageOf(error)),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['webhooks', project] }),
        queries.invalidateQueries({ queryKey: ['deliveries', project] }),
      ]),
  })
}

type Open = 'edit' | 'rotate' | 'delete' | null

export function WebhookActions({ project, webhook, types, onDeleted }: Props) {
  const [open, setOpen] = useState<Open>(null)
  const change = useWebhookChange(project)
  const { id, url, enabled } = webhook
  const close = (): void => setOpen(null)
  return (
    <>
      <Menu
        trigger={
          <Button look="ghost" size="icon" aria-label={`Actions for ${url}`}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuItem
          onSelect={() =>
            change.mutate(() => testWebhook(project, id), {
              onSuccess: () => void toast.success('A test is sent. The deliveries show its outcome.'),
            })
          }
        >
          <Send aria-hidden /> Send a test
        </MenuItem>
        <MenuItem onSelect={() => setOpen('edit')}>
          <Pencil aria-hidden /> Edit…
        </MenuItem>
        <MenuItem onSelect={() => change.mutate(() => switchWebhook(project, id, !enabled))}>
          <Power aria-hidden /> {enabled ? 'Switch off' : 'Switch on'}
        </MenuItem>
        <MenuItem onSelect={() => setOpen('rotate')}>
          <RefreshCw aria-hidden /> Rotate the secret…
        </MenuItem>
        <MenuItem isDangerous onSelect={() => setOpen('delete')}>
          <Trash2 aria-hidden /> Delete…
        </MenuItem>
      </Menu>
      <Edit project={project} webhook={webhook} types={types} isOpen={open === 'edit'} onClose={close} />
      <Rotate project={project} webhook={webhook} isOpen={open === 'rotate'} onClose={close} />
      <Confirm
        isOpen={open === 'delete'}
        onOpenChange={close}
        title={<Ask verb="Delete the webhook to" name={url} />}
        description="Nothing is sent to it any more, including deliveries that wait. Its deliveries are deleted."
        action="Delete webhook"
        isBusy={change.isPending}
        onConfirm={() =>
          change.mutate(() => deleteWebhook(project, id), {
            onSuccess: () => {
              close()
              onDeleted?.()
            },
          })
        }
      />
    </>
  )
}

interface EditProps extends Omit<Props, 'onDeleted'> {
  isOpen: boolean
  onClose: () => void
}

function Edit({ project, webhook, types, isOpen, onClose }: EditProps) {
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: (fields: WebhookFields) => changeWebhook(project, webhook.id, fields),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['webhooks', project] })
      onClose()
    },
  })
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={() => {
        save.reset()
        onClose()
      }}
      title="Edit webhook"
      description="Deliveries that wait go to the new address too."
    >
      <WebhookForm
        webhook={webhook}
        types={types}
        action="Save"
        isBusy={save.isPending}
        error={save.error}
        onSubmit={(fields) => save.mutate(fields)}
      />
    </Dialog>
  )
}
