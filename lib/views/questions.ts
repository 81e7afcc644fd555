import { certificatesQuestion } from './certificates/questions';
import { churnQuestion } from './churn/questions';
import { clientQuestion, clientsQuestion } from './client/questions';
import { diffQuestion } from './compare/questions';
import { controlPlanesQuestion } from './control-planes/questions';
import { eventsQuestion } from './events/questions';
import { fleetExplainQuestion, sharedFleetExplanationQuestion } from './explain/questions';
import { cohortsQuestion, fleetQuestion } from './fleet/questions';
import { healthQuestion, openApiQuestion } from './health/questions';
import { eventQuestion, historyQuestion, timelineQuestion } from './history/questions';
import { identityQuestion } from './identity/questions';
import { resourceBodyQuestion } from './inspector/questions';
import { interopMatrixQuestion, interopRunQuestion, interopRunsQuestion } from './interop/questions';
import { interopFleetQuestion } from './interop-matrix/questions';
import { fleetStripQuestion, issueQuestion, issuesQuestion } from './issues/questions';
import { labQuestion, labResourcesQuestion } from './lab/questions';
import {
  loadRowsQuestion,
  loadSeriesQuestion,
  loadSplitQuestion,
  loadTotalsQuestion,
  permalinkLoadSeriesQuestion,
  permalinkLoadSplitQuestion,
} from './load/questions';
import { nackQuestion, nacksQuestion } from './nacks/questions';
import { permalinkQuestion } from './permalinks/questions';
import { divergencesQuestion } from './propagation/questions';
import { twinClientsQuestion } from './prove/questions';
import { convergenceQuestion, recentConvergenceQuestion } from './pushes/questions';
import {
  exportEstimateQuestion,
  exportQuestion,
  importProblemsQuestion,
  importsQuestion,
  pinsQuestion,
  replaysQuestion,
} from './recording/questions';
import { holdersQuestion, searchQuestion } from './search/questions';
import { checkRunQuestion, checkRunsQuestion, sharedCheckRunQuestion } from './server-checks/questions';
import { sizesQuestion } from './sizes/questions';
import {
  credentialsQuestion,
  descriptorSetsQuestion,
  sourceQuestion,
  sourcesQuestion,
} from './sources/questions';
import { streamQuestion } from './stream/questions';

/** Questions about many clients, by their path below /api/v1. */
const fleetQuestions = {
  clients: clientsQuestion,
  'clients/{id}': clientQuestion,
  fleet: fleetQuestion,
  cohorts: cohortsQuestion,
  sizes: sizesQuestion,
  identity: identityQuestion,
  divergences: divergencesQuestion,
  'interop/fleet': interopFleetQuestion,
  explain: fleetExplainQuestion,
  'explain-permalinks/{id}': sharedFleetExplanationQuestion,
} as const;

/**
 * Questions about what was recorded, by their path below /api/v1. Of two paths that match a request, the first one
 * applies.
 */
const historyQuestions = {
  history: historyQuestion,
  'history/timeline': timelineQuestion,
  'history/{seq}': eventQuestion,
  nacks: nacksQuestion,
  'nacks/{groupId}': nackQuestion,
  convergence: convergenceQuestion,
  'convergence/recent': recentConvergenceQuestion,
  churn: churnQuestion,
  diff: diffQuestion,
  export: exportQuestion,
  'export/estimate': exportEstimateQuestion,
} as const;

/** Questions about what is wrong, by their path below /api/v1. */
const issueQuestions = {
  issues: issuesQuestion,
  'issues/strip': fleetStripQuestion,
  'issues/{issueId}': issueQuestion,
} as const;

/** Questions about load reports (LRS), by their path below /api/v1. */
const loadQuestions = {
  load: loadRowsQuestion,
  'load/totals': loadTotalsQuestion,
  'load/series': loadSeriesQuestion,
  'load/split': loadSplitQuestion,
  'permalinks/{id}/load/series': permalinkLoadSeriesQuestion,
  'permalinks/{id}/load/split': permalinkLoadSplitQuestion,
} as const;

/** Questions about this process: its sources, files, message types, replays, stored views and its lab, by path below /api/v1. */
export const processQuestions = {
  health: healthQuestion,
  'openapi.json': openApiQuestion,
  events: eventsQuestion,
  stream: streamQuestion,
  certificates: certificatesQuestion,
  'resources/{hash}': resourceBodyQuestion,
  'interop/runs': interopRunsQuestion,
  'interop/runs/{id}': interopRunQuestion,
  'interop/matrix': interopMatrixQuestion,
  'twin-clients': twinClientsQuestion,
  lab: labQuestion,
  'lab/resources': labResourcesQuestion,
  pins: pinsQuestion,
  replays: replaysQuestion,
  'permalinks/{id}': permalinkQuestion,
  sources: sourcesQuestion,
  'sources/{id}': sourceQuestion,
  credentials: credentialsQuestion,
  imports: importsQuestion,
  'imports/{id}/problems': importProblemsQuestion,
  'descriptor-sets': descriptorSetsQuestion,
  'interop/control-planes': controlPlanesQuestion,
  'interop/server-checks': checkRunsQuestion,
  'interop/server-checks/{id}': checkRunQuestion,
  'interop/server-check-permalinks/{id}': sharedCheckRunQuestion,
} as const;

/** Questions over all resources of the fleet, by their path below /api/v1. */
const searchQuestions = {
  search: searchQuestion,
  holders: holdersQuestion,
} as const;

/** Every question that is not about one client, by its path below /api/v1. */
export const otherQuestions = {
  ...fleetQuestions,
  ...historyQuestions,
  ...issueQuestions,
  ...loadQuestions,
  ...processQuestions,
  ...searchQuestions,
} as const;

export type FleetQuestions = typeof fleetQuestions;
export type HistoryQuestions = typeof historyQuestions;
export type IssueQuestions = typeof issueQuestions;
export type LoadQuestions = typeof loadQuestions;
export type ProcessQuestions = typeof processQuestions;
export type SearchQuestions = typeof searchQuestions;
export type OtherQuestions = typeof otherQuestions;
