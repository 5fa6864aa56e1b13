/** Changes the credit and the limits of a project. */
import { type ReactNode } from 'react'
import { call } from '../../api/client'
import { type OperatorProject, type ProjectChange } from '../../api/types'
import { useChange } from '../../shell/use-change'
import { Button } from '../../ui/button'
import { Dialog, DialogButtons } from '../../ui/dialog'
import { TextField, textOf } from '../../ui/field'
import { usdText } from '../../ui/money'

interface Props {
  project: OperatorProject
  onClose: () => void
}

interface FormProps extends Props {
  title: ReactNode
  description: ReactNode
  action: string
  read: (field: (name: string) => string) => ProjectChange
  children: ReactNode
}

function Form({ project, onClose, title, description, action, read, children }: FormProps) {
  const change = useChange(['operator'])
  return (
    <Dialog isOpen onOpenChange={onClose} title={title} description={description}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const form = event.currentTarget
          const wanted = read((name) => textOf(form, name).trim())
          change.mutate(() => call('PATCH /operator/projects/:project', { project: project.id }, wanted), {
            onSuccess: onClose,
          })
        }}
      >
        {children}
        <DialogButtons>
          <Button type="submit" look="primary" isBusy={change.isPending}>
            {action}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

const Named = ({ of, name }: { of: string; name: string }) => (
  <span className="break-words">
    {of} of <bdi>{name}</bdi>
  </span>
)

export const Credit = (props: Props) => (
  <Form
    {...props}
    title={<Named of="Credit" name={props.project.name} />}
    description={`The project has ${usdText(props.project.balance_usd)} now. Enter a negative amount to take credit away.`}
    action="Change credit"
    read={(field) => ({ credit_usd: field('amount') })}
  >
    <TextField
      label="Amount in US dollars"
      name="amount"
      required
      inputMode="decimal"
      pattern="-?[0-9]{1,12}(\.[0-9]{1,6})?"
      autoComplete="off"
      placeholder="50.00"
    />
  </Form>
)

export const Limits = (props: Props) => {
  const { project } = props
  return (
    <Form
      {...props}
      title={<Named of="Limits" name={project.name} />}
      description="Phones that already run continue when you lower a limit."
      action="Change limits"
      read={(field) => ({
        max_phones: Number(field('phones')),
        max_running: Number(field('running')),
        spend_limit_usd: field('spend'),
      })}
    >
      <TextField
        label="Phones"
        name="phones"
        type="number"
        min={0}
        max={1_000_000}
        required
        defaultValue={project.max_phones}
      />
      <TextField
        label="Phones that run at a time"
        name="running"
        type="number"
        min={0}
        max={1_000_000}
        required
        defaultValue={project.max_running}
      />
      <TextField
        label="Spending a month in US dollars"
        name="spend"
        required
        inputMode="decimal"
        pattern="[0-9]{1,12}(\.[0-9]{1,6})?"
        autoComplete="off"
        defaultValue={project.spend_limit_usd.replace(/\.?0*$/, '')}
      />
    </Form>
  )
}
