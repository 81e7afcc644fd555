import type { RawBody } from '@/lib/questions/command';
import type { Validation } from '@/lib/views/findings/schema';
import { profileOfWho, type Who } from '@/lib/xds/profile';
import { badRequest } from '../api-error';
import type { Validator } from '../compute/validate/document-validator';
import type { Recorder } from '../store/recorder/recorder';
import type { CheckApi } from './check/check-api';
import type { DefaultsParts } from './client-defaults';
import type { FleetExplainer } from './explain-fleet/fleet-explainer';
import type { SharedExplanations } from './explain-fleet/shared-explanations';
import { explainRequest } from './explain-request';
import type { ImportsApi } from './files/imports-api';
import { saved } from './files/not-saved';
import type { PinsApi } from './files/pins-api';
import type { ReplaysApi } from './files/replays-api';
import type { InteropRunsApi } from './interop/interop-runs-api';
import type { IssuesApi } from './issues/issues-api';
import type { LabApi } from './lab/lab-api';
import type { PermalinksApi } from './permalinks/permalinks-api';
import type { ProveApi } from './prove/prove-api';
import type { CommandAnswers } from './run-command';
import type { ServerChecksApi } from './server-checks/server-checks-api';
import { type FailoverApi, missingSubject } from './simulate-failover';
import type { DescriptorSetsApi } from './sources/descriptor-sets-api';
import type { SourcesApi } from './sources/sources-api';
import type { ClientRef, ClientSubject } from './subjects/client-subjects';
import type { TestClientApi } from './test-client/test-client-api';

interface CommandAnswersParts extends DefaultsParts {
  readonly findSubject: (ref: ClientRef, signal?: AbortSignal) => Promise<ClientSubject | undefined>;
  readonly recorder: DefaultsParts['recorder'] & Pick<Recorder, 'confirmInPlace'>;
  readonly sources: SourcesApi;
  readonly imports: ImportsApi;
  readonly descriptorSets: DescriptorSetsApi;
  readonly replays: ReplaysApi;
  readonly pins: PinsApi;
  readonly permalinks: PermalinksApi;
  readonly failover: FailoverApi;
  readonly validate: Validator;
  readonly check: CheckApi;
  readonly lab: LabApi;
  readonly interopRuns: InteropRunsApi;
  readonly testClient: TestClientApi;
  readonly serverChecks: ServerChecksApi;
  readonly prove: ProveApi;
  readonly fleetExplainer: Pick<FleetExplainer, 'find'>;
  readonly sharedExplanations: SharedExplanations;
  readonly issuesApi: Pick<IssuesApi, 'mute'>;
}

export function createCommandAnswers(parts: CommandAnswersParts): CommandAnswers {
  const { recorder, sources, imports, descriptorSets, replays, pins, permalinks, failover, validate, lab } =
    parts;
  const { issuesApi, check, testClient, prove, serverChecks, interopRuns } = parts;
  const keep = <T>(change: () => T | Promise<T>): Promise<T> => saved(recorder, change);
  const removeSource = (id: string) =>
    keep(async () => {
      if (!(await imports.remove(id))) await sources.remove(id);
    });
  return {
    'POST sources': ({ body }) => keep(() => sources.add(body)),
    'DELETE sources': ({ query: { id } }) => removeSource(id),
    'PATCH sources/{id}': ({ params: { id }, body }) => keep(() => sources.change(id, body)),
    'DELETE sources/{id}': ({ params: { id } }) => removeSource(id),
    'DELETE imports/{id}': ({ params: { id } }) => keep(() => imports.cancel(id)),
    'POST issues/{id}/mute': ({ params: { id }, body: { until } }) => issuesApi.mute(id, until),
    'POST descriptor-sets': ({ query: { name }, body }) => keep(() => descriptorSets.add(name, body.bytes)),
    'DELETE descriptor-sets/{id}': ({ params: { id } }) => keep(() => descriptorSets.remove(id)),
    'POST replays': ({ body }) => replays.start(body),
    'PATCH replays/{id}': ({ params: { id }, body }) => replays.change(id, body),
    'DELETE replays/{id}': ({ params: { id } }) => replays.remove(id),
    'POST pins': ({ body }) => keep(() => pins.add(body)),
    'DELETE pins/{id}': ({ params: { id } }) => keep(() => pins.remove(id)),
    'POST permalinks': ({ body }) => keep(() => permalinks.create(body)),
    'POST failover/simulate': ({ body, signal }) => failover.simulate(body, signal),
    'POST clients/{id}/explain': async ({ params: { id: clientId }, query: { at }, body, signal }) => {
      const { target, listener, profile, ...about } = body;
      const subject = await parts.findSubject({ clientId, at }, signal);
      if (subject === undefined) throw missingSubject({ clientId });
      return explainRequest(subject, { about, target, listener, profile }, parts, signal);
    },
    'POST explain': ({ body: { q, at, group, offset, limit, ...request } }) =>
      parts.fleetExplainer.find({ request, q, at, group, offset, limit }),
    'POST explain/share': ({ body: { q, at, ...request } }) =>
      keep(() => parts.sharedExplanations.share({ request, q, at })),
    'POST validate': ({ query, body, signal }) => validateInput(validate, { ...body, ...query }, signal),
    'POST check': ({ query, body: { bytes }, signal }) => check.check({ bytes, ...query }, signal),
    'POST clients/{id}/test-client/block': ({ params: { id }, body }) => testClient.countBlock(id, body),
    'PUT clients/{id}/test-client/configuration': ({ params: { id }, body }) =>
      testClient.configure(id, body),
    'PUT clients/{id}/test-client/server': ({ params: { id }, body, signal }) =>
      testClient.setServer(id, body, signal),
    'POST interop/server-checks': ({ body }) => keep(() => serverChecks.start(body)),
    'DELETE interop/server-checks/{id}': ({ params: { id } }) => keep(() => serverChecks.remove(id)),
    'POST interop/server-checks/{id}/share': ({ params: { id } }) => keep(() => serverChecks.share(id)),
    'POST interop/runs': ({ body }) => ({ items: [...interopRuns.start(body)] }),
    'DELETE interop/runs': () => interopRuns.stop(),
    'POST clients/{id}/prove': ({ params: { id }, body, signal }) => prove.prove(id, body, signal),
    'POST lab/start': () => lab.start(),
    'POST lab/background-faults': ({ body }) => lab.setBackgroundFaults(body.backgroundFaults),
    'POST lab/management-server': ({ body }) => lab.setManagementServer(body.running),
    'POST lab/load-reporter': ({ body }) => lab.setReporter(body.running),
    'POST lab/renew': ({ body }) => lab.renewVersion(body.type),
    'POST lab/backends/{name}': ({ params: { name }, body }) => lab.setBackend(name, body),
    'POST lab/assignments/{name}': ({ params: { name }, body }) => lab.setAssignment(name, body),
    'POST lab/faults/{name}': ({ params: { name }, body }) => lab.setFault(name, body.active),
    'PUT lab/resources': ({ body }) => ({ items: lab.setResource(body) }),
    'DELETE lab/resources': ({ query }) => ({ items: lab.removeResource(query) }),
  };
}

interface ValidationInput extends RawBody {
  readonly profile: Who;
  readonly typeUrl?: string | undefined;
}

/** Validates the resources of a request body. Nothing is stored. */
async function validateInput(
  validate: Validator,
  { bytes, profile, typeUrl }: ValidationInput,
  signal?: AbortSignal,
): Promise<Validation> {
  const validated = await validate.validateInput({ bytes, profile: profileOfWho(profile), typeUrl }, signal);
  if (!validated.ok) throw badRequest(validated.reason);
  return validated.validation;
}
