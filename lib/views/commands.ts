import type { CommandAnswer, CommandInput } from '../questions/command';
import { checkDocument } from './check/questions';
import { explainCommand, fleetExplainCommand, shareFleetExplanation } from './explain/questions';
import { simulateFailover } from './failover/questions';
import { validateDocument } from './findings/questions';
import { startInteropRuns, stopInteropRuns } from './interop/questions';
import { muteIssue } from './issues/questions';
import {
  changeAssignment,
  changeBackend,
  changeBackgroundFaults,
  changeFault,
  changeLoadReporter,
  changeManagementServer,
  removeResource,
  renewResources,
  setResource,
  startLab,
} from './lab/questions';
import { addPermalink } from './permalinks/questions';
import { proveCommand } from './prove/questions';
import { addPin, changeReplay, endReplay, removeImport, removePin, startReplay } from './recording/questions';
import { removeCheckRun, shareCheckRun, startCheckRun } from './server-checks/questions';
import {
  addDescriptorSet,
  addSource,
  changeSource,
  importFile,
  removeDescriptorSet,
  removeSource,
  removeSourceOfQuery,
} from './sources/questions';
import { configureTestClient, countRpcBlock, setTestServer } from './test-client/questions';

/** Every command that is answered from its parsed request, by method and path below /api/v1. */
export const commands = {
  'POST sources': addSource,
  'DELETE sources': removeSourceOfQuery,
  'PATCH sources/{id}': changeSource,
  'DELETE sources/{id}': removeSource,
  'DELETE imports/{id}': removeImport,
  'POST issues/{id}/mute': muteIssue,
  'POST descriptor-sets': addDescriptorSet,
  'DELETE descriptor-sets/{id}': removeDescriptorSet,
  'POST replays': startReplay,
  'PATCH replays/{id}': changeReplay,
  'DELETE replays/{id}': endReplay,
  'POST pins': addPin,
  'DELETE pins/{id}': removePin,
  'POST permalinks': addPermalink,
  'POST failover/simulate': simulateFailover,
  'POST clients/{id}/explain': explainCommand,
  'POST explain': fleetExplainCommand,
  'POST explain/share': shareFleetExplanation,
  'POST validate': validateDocument,
  'POST check': checkDocument,
  'POST clients/{id}/test-client/block': countRpcBlock,
  'PUT clients/{id}/test-client/configuration': configureTestClient,
  'PUT clients/{id}/test-client/server': setTestServer,
  'POST interop/server-checks': startCheckRun,
  'DELETE interop/server-checks/{id}': removeCheckRun,
  'POST interop/server-checks/{id}/share': shareCheckRun,
  'POST interop/runs': startInteropRuns,
  'DELETE interop/runs': stopInteropRuns,
  'POST clients/{id}/prove': proveCommand,
  'POST lab/start': startLab,
  'POST lab/background-faults': changeBackgroundFaults,
  'POST lab/management-server': changeManagementServer,
  'POST lab/load-reporter': changeLoadReporter,
  'POST lab/renew': renewResources,
  'POST lab/backends/{name}': changeBackend,
  'POST lab/assignments/{name}': changeAssignment,
  'POST lab/faults/{name}': changeFault,
  'PUT lab/resources': setResource,
  'DELETE lab/resources': removeResource,
} as const;

/** A command whose body is read as a stream, before Next: server/http/receive-import.ts. */
export const streamedCommands = {
  'POST imports': importFile,
} as const;

export type Commands = typeof commands;
export type CommandKey = keyof Commands;
export type InputOf<Key extends CommandKey> = CommandInput<Key, Commands[Key]>;
export type CommandAnswerOf<Key extends CommandKey> = CommandAnswer<Commands[Key]>;
