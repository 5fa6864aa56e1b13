import { X } from 'lucide-react'
import { AlertDialog as RadixAlert, Dialog as Radix } from 'radix-ui'
import { type ReactNode } from 'react'
import { Button } from './button'

const overlay = 'fixed inset-0 z-40 bg-black/50'
const panel =
  'fixed inset-x-4 top-[8vh] z-50 mx-auto grid max-h-[84vh] grid-cols-1 max-w-lg gap-4 overflow-y-auto rounded-lg border border-border bg-surface p-5 shadow-xl'

interface DialogProps {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  title: ReactNode
  description?: ReactNode
  children: ReactNode
  /** A click outside does not close it. */
  isSticky?: boolean
}

export function Dialog({
  isOpen,
  onOpenChange,
  title,
  description,
  children,
  isSticky = false,
}: DialogProps) {
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={overlay} />
        <Radix.Content
          className={panel}
          onInteractOutside={(event) => {
            if (isSticky) event.preventDefault()
          }}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <div className="flex items-start justify-between gap-4">
            <Radix.Title className="min-w-0 text-base font-semibold break-words">{title}</Radix.Title>
            <Radix.Close asChild>
              <Button look="ghost" size="icon" className="-mt-2 -mr-2" aria-label="Close">
                <X aria-hidden />
              </Button>
            </Radix.Close>
          </div>
          {description !== undefined && (
            <Radix.Description className="-mt-2 text-muted">{description}</Radix.Description>
          )}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** A question about a thing. Marks in its name do not turn the text around it. */
export const Ask = ({ verb, name }: { verb: string; name: string }) => (
  <span className="break-words">
    {verb} <bdi>{name}</bdi>?
  </span>
)

interface ConfirmProps {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  title: ReactNode
  description: ReactNode
  /** The verb of the button. */
  action: string
  isBusy: boolean
  onConfirm: () => void
}

export function Confirm({
  isOpen,
  onOpenChange,
  title,
  description,
  action,
  isBusy,
  onConfirm,
}: ConfirmProps) {
  return (
    <RadixAlert.Root open={isOpen} onOpenChange={onOpenChange}>
      <RadixAlert.Portal>
        <RadixAlert.Overlay className={overlay} />
        <RadixAlert.Content className={panel}>
          <RadixAlert.Title className="text-base font-semibold break-words">{title}</RadixAlert.Title>
          <RadixAlert.Description className="text-muted">{description}</RadixAlert.Description>
          <div className="flex flex-wrap justify-end gap-2">
            <RadixAlert.Cancel asChild>
              <Button>Cancel</Button>
            </RadixAlert.Cancel>
            <Button look="danger" isBusy={isBusy} onClick={onConfirm}>
              {action}
            </Button>
          </div>
        </RadixAlert.Content>
      </RadixAlert.Portal>
    </RadixAlert.Root>
  )
}
