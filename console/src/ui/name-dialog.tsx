/** A dialog that asks for a name and creates a thing with it. */
import { type ComponentProps, type ReactNode } from 'react'
import { messageOf } from '../api/client'
import { Button } from './button'
import { Dialog, DialogButtons } from './dialog'
import { FormError, TextField, textOf } from './field'

/** The fields of a mutation that the dialog uses. */
interface Creation {
  mutate: (name: string) => void
  reset: () => void
  isPending: boolean
  error: unknown
}

interface Props {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  title: string
  description: ReactNode
  /** The verb of the button. */
  action: string
  creation: Creation
  /** Properties of the name's field. */
  field?: Pick<ComponentProps<typeof TextField>, 'hint' | 'placeholder' | 'required'>
}

export const NameDialog = ({
  isOpen,
  onOpenChange,
  title,
  description,
  action,
  creation,
  field = {},
}: Props) => (
  <Dialog
    isOpen={isOpen}
    onOpenChange={(open) => {
      creation.reset()
      onOpenChange(open)
    }}
    title={title}
    description={description}
  >
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        creation.mutate(textOf(event.currentTarget, 'name').trim())
      }}
    >
      <TextField label="Name" name="name" maxLength={80} autoComplete="off" {...field} />
      <FormError>{creation.error !== null && messageOf(creation.error)}</FormError>
      <DialogButtons>
        <Button type="submit" look="primary" isBusy={creation.isPending}>
          {action}
        </Button>
      </DialogButtons>
    </form>
  </Dialog>
)
