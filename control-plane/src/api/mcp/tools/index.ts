/** The table of tools, in the order of the list that clients get. */
import { type Tool } from '../tool.js'
import { accountTools } from './account.js'
import { appTools } from './apps.js'
import { deviceTools } from './device.js'
import { fileTools } from './files.js'
import { peopleTools } from './people.js'
import { phoneTools } from './phones.js'
import { recordingTools } from './recordings.js'
import { reportTools } from './reports.js'
import { screenTools } from './screen.js'
import { shellTools } from './shell.js'
import { stepTools } from './steps.js'

export const tools: readonly Tool[] = [
  ...phoneTools,
  ...screenTools,
  ...shellTools,
  ...appTools,
  ...peopleTools,
  ...fileTools,
  ...deviceTools,
  ...recordingTools,
  ...reportTools,
  ...stepTools,
  ...accountTools,
]
