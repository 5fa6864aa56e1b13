import { X } from 'lucide-react'
import { AlertDialog as RadixAlert, Dialog as Radix } from 'radix-ui'
import { useState, type ComponentProps, type ReactNode } from 'react'
import { Button } from './button'
import { useFocusReturn } from './focus-return'
import { Name } from './name'

// All dialogs have the same layer, so a later dialog covers an earlier dialog.
const overlay = 'fixed inset-0 z-50 bg-black/50'
const panel =
  'fixed inset-x-4 top-[8vh] z-50 mx-auto grid max-h-[84vh] grid-cols-1 max-w-lg gap-4 overflow-y-auto rounded-lg border border-border bg-surface p-5 shadow-xl'

/** Focuses the first field instead of the button that closes the dialog. */
function focusField(event: Event): void {
  const { target } = event
  if (!(target instanceof HTMLElement)) return
  const field = target.querySelector<HTMLElement>('input:not([type=hidden]), select, textarea')
  if (!field) return
  event.preventDefault()
  field.focus()
}

const Panel = (props: ComponentProps<typeof Radix.Content>) => (
  <Radix.Content
    className={panel}
    onOpenAutoFocus={focusField}
    onCloseAutoFocus={useFocusReturn()}
    {...props}
  />
)

const AlertPanel = (props: ComponentProps<typeof RadixAlert.Content>) => (
  <RadixAlert.Content className={panel} onCloseAutoFocus={useFocusReturn()} {...props} />
)

interface DialogProps {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  title: ReactNode
  description?: ReactNode
  children: ReactNode
  /** A click outside does not close the dialog. */
  isSticky?: boolean
  /**
   * The question before Escape or the cross closes a dialog whose content is not shown again. Omitted: the dialog closes
   * immediately.
   */
  closeQuestion?: string | undefined
}

export function Dialog({
  isOpen,
  onOpenChange,
  title,
  description,
  children,
  isSticky = false,
  closeQuestion,
}: DialogProps) {
  const [isAsking, setIsAsking] = useState(false)
  const change = (open: boolean): void =>
    !open && closeQuestion !== undefined ? setIsAsking(true) : onOpenChange(open)
  return (
    <Radix.Root open={isOpen} onOpenChange={change}>
      <Radix.Portal>
        <Radix.Overlay className={overlay} />
        <Panel
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
          {closeQuestion !== undefined && (
            <Confirm
              isOpen={isAsking}
              onOpenChange={setIsAsking}
              title={closeQuestion}
              description="It is not shown again."
              action="Close"
              isBusy={false}
              onConfirm={() => {
                setIsAsking(false)
                onOpenChange(false)
              }}
            />
          )}
        </Panel>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The buttons below a form in a dialog. */
export const DialogButtons = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap items-center justify-end gap-2">
    <Radix.Close asChild>
      <Button>Cancel</Button>
    </Radix.Close>
    {children}
  </div>
)

/** A question about a named thing. Direction marks in the name do not affect the text around it. */
export const Ask = ({ verb, name }: { verb: string; name: string }) => (
  <span className="break-words">
    {verb} <Name>{name}</Name>?
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
        <AlertPanel>
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
        </AlertPanel>
      </RadixAlert.Portal>
    </RadixAlert.Root>
  )
}
