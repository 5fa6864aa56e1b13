/** All routes of `/v1`. */
import type { ApiInstance } from '../http/types.js'
import { getAccount } from './account.js'
import { listEvents } from './events/list.js'
import { listDeliveries, retryDelivery, testWebhook } from './webhooks/deliveries.js'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhook,
  updateWebhook,
} from './webhooks/webhooks.js'
import { createCheckout } from './checkout.js'
import { collectSetup, createSetup } from './setup.js'
import { installApp, listInstalls } from './apps/installs.js'
import { searchLibrary } from './apps/library.js'
import { completeUpload, createUpload, deleteUpload, getUpload, listUploads } from './apps/uploads.js'
import type { Route, RouteDeps } from './deps.js'
import { runActions } from './phones/actions.js'
import { runShell } from './phones/shell.js'
import { listApps, uninstallApp } from './phones/apps.js'
import { getClipboard, setClipboard } from './phones/clipboard.js'
import { createPhone } from './phones/create.js'
import { deletePhone } from './phones/delete.js'
import { getDevice } from './phones/device.js'
import { deleteFile, listFiles, readFile, writeFile } from './phones/files.js'
import { getPhone } from './phones/get.js'
import { createHandoff, deleteHandoff, getHandoff } from './phones/handoffs.js'
import { heartbeatPhone } from './phones/heartbeat.js'
import { listPhones } from './phones/list.js'
import { listCrashes, readLogs } from './phones/logs.js'
import { dismissNotification, listNotifications, openNotification } from './phones/notifications.js'
import { setPermissions } from './phones/permissions.js'
import { createLiveLink } from './phones/live.js'
import { getLocale, setLocale } from './phones/locale.js'
import { getLocation, resetLocation, setLocation } from './phones/location.js'
import { observe } from './phones/observe.js'
import { parkPhone } from './phones/park.js'
import {
  deleteRecording,
  listRecordings,
  readRecording,
  startRecording,
  stopRecording,
} from './phones/recordings.js'
import { screenshot } from './phones/screenshot.js'
import { listSessions } from './phones/sessions.js'
import { rebootPhone } from './phones/reboot.js'
import { resetPhone } from './phones/reset.js'
import { exportSteps, getStep, listSteps, readStepPicture } from './phones/steps.js'
import { startPhone } from './phones/start.js'
import { getTimezone, setTimezone } from './phones/timezone.js'
import { updatePhone } from './phones/update.js'

const routes: readonly Route[] = [
  createPhone,
  createCheckout,
  listPhones,
  getPhone,
  updatePhone,
  deletePhone,
  startPhone,
  parkPhone,
  heartbeatPhone,
  listSessions,
  observe,
  screenshot,
  runActions,
  runShell,
  listApps,
  uninstallApp,
  setPermissions,
  listCrashes,
  readLogs,
  listNotifications,
  openNotification,
  dismissNotification,
  listFiles,
  writeFile,
  readFile,
  deleteFile,
  getDevice,
  getClipboard,
  setClipboard,
  getLocation,
  setLocation,
  resetLocation,
  getLocale,
  setLocale,
  getTimezone,
  setTimezone,
  rebootPhone,
  resetPhone,
  createLiveLink,
  createHandoff,
  getHandoff,
  deleteHandoff,
  startRecording,
  listRecordings,
  stopRecording,
  readRecording,
  deleteRecording,
  listSteps,
  exportSteps,
  getStep,
  readStepPicture,
  createUpload,
  listUploads,
  getUpload,
  completeUpload,
  deleteUpload,
  searchLibrary,
  installApp,
  listInstalls,
  getAccount,
  listEvents,
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  rotateWebhook,
  listDeliveries,
  retryDelivery,
  createSetup,
  collectSetup,
]

export const registerV1 = (app: ApiInstance, deps: RouteDeps): void =>
  routes.forEach((route) => route(app, deps))
