/** The form in which a person gives a program access to one of their projects, or refuses it. */
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode, type SubmitEvent } from 'react'
import { messageOf } from '../../api/client'
import { isAtLeast, useSession } from '../../api/session'
import { type NewKey, type Preset } from '../../api/types'
import { useProject } from '../../shell/project'
import { Button } from '../../ui/button'
import { FormError, SelectField } from '../../ui/field'
import { PhoneChoice } from './phone-choice'
import { ExpiryField, RightsFields, rightsOf } from './rights-fields'

interface Grant {
  project: string
  rights: Omit<NewKey, 'name'>
}

interface Props {
  /** Describes the program that requests access. */
  children: ReactNode
  /** Says who spends the credit of the project. */
  hint: string
  preset?: Preset
  hasExpiry?: boolean
  /** Null: the person refuses. */
  decide: (grant: Grant | null) => Promise<void>
  /** A further button. */
  other?: ReactNode
}

export function GrantForm({ children, hint, preset = 'agent', hasExpiry = false, decide, other }: Props) {
  const { projects } = useSession()
  const current = useProject()
  const able = projects.filter(({ role }) => isAtLeast(role, 'member'))
  const [project, setProject] = useState(able.find(({ id }) => id === current?.id)?.id ?? able[0]?.id ?? '')
  const [phones, setPhones] = useState<readonly string[] | null>(null)
  const decision = useMutation({ mutationFn: decide })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    decision.mutate({ project, rights: rightsOf(event.currentTarget, phones) })
  }
  return (
    <form className="grid gap-4 p-5" onSubmit={submit}>
      {children}
      {able.length === 0 ? (
        <p>You need a project in which you are a member or owner.</p>
      ) : (
        <>
          <SelectField
            label="Project"
            value={project}
            onChange={({ target }) => {
              setProject(target.value)
              setPhones(null)
            }}
            hint={hint}
          >
            {able.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <RightsFields preset={preset} />
          {hasExpiry && <ExpiryField />}
          <PhoneChoice project={project} chosen={phones} onChange={setPhones} />
        </>
      )}
      <FormError>{decision.error && messageOf(decision.error)}</FormError>
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          look="primary"
          disabled={project === '' || phones?.length === 0}
          isBusy={decision.isPending}
        >
          Allow
        </Button>
        <Button disabled={decision.isPending} onClick={() => decision.mutate(null)}>
          Deny
        </Button>
        {other}
      </div>
    </form>
  )
}
