import * as z from 'zod';
import { defineCommand } from '../../questions/command';
import { defineQuestion } from '../../questions/question';
import { resourceName, typeUrl } from '../fields/query-fields';
import {
  labAssignmentChange,
  labBackendChange,
  labBackgroundFaultsChange,
  labFaultChange,
  labManagementServerChange,
  labRenewal,
  labReporterChange,
  labResources,
  labStatus,
  newLabResource,
} from './schema';

export const labQuestion = defineQuestion({
  summary:
    'The embedded lab: its processes, its assignments, the background faults and the invalid resources.',
  query: z.object({}),
  answer: labStatus,
});

export const labResourcesQuestion = defineQuestion({
  summary: 'The resources of the lab.',
  query: z.object({}),
  answer: labResources,
  hasWholeTexts: true,
});

export const startLab = defineCommand({
  summary:
    'Start the embedded lab, a mesh of real xDS clients on this machine, with the sources that observe it. If it runs, nothing changes.',
  answer: labStatus,
});

export const changeBackgroundFaults = defineCommand({
  summary: 'Start or stop the background faults.',
  body: labBackgroundFaultsChange,
  answer: labStatus,
});

export const changeManagementServer = defineCommand({
  summary:
    'Stop the management server of the lab as a crash does, or start it again on its port. Its clients keep the config that they have.',
  body: labManagementServerChange,
  answer: labStatus,
});

export const changeLoadReporter = defineCommand({
  summary:
    'Start or stop the simulated load reporter: real requests, reported as Envoy does, by priority and endpoint and with named metrics.',
  body: labReporterChange,
  answer: labStatus,
});

export const renewResources = defineCommand({
  summary: 'Send all resources again, or all of one type: equal contents with a new version.',
  body: labRenewal,
  answer: labStatus,
});

export const changeBackend = defineCommand({
  summary: 'Stop or start a backend, or let it fail a share of its calls.',
  body: labBackendChange,
  answer: labStatus,
});

export const changeAssignment = defineCommand({
  summary:
    'Stop or start all backends of an assignment, a priority or a locality; change weights, drops and failures.',
  body: labAssignmentChange,
  answer: labStatus,
});

export const changeFault = defineCommand({
  summary: 'Inject or revert an invalid resource.',
  body: labFaultChange,
  answer: labStatus,
});

export const setResource = defineCommand({
  summary: 'Set a resource of the lab.',
  body: newLabResource,
  // The largest gRPC message.
  maxBytes: 16 * 1024 * 1024,
  answer: labResources,
  hasWholeTexts: true,
});

export const removeResource = defineCommand({
  summary: 'Remove a resource of the lab.',
  query: z.object({ typeUrl, name: resourceName }),
  answer: labResources,
  hasWholeTexts: true,
});
