import type { RawBody } from '@/lib/questions/command';
import type { Validation } from '@/lib/views/findings/schema';
import { profileOfWho, type Who } from '@/lib/xds/profile';
import { badRequest } from '../api-error';
import type { Recorder } from '../recorder/recorder';
import type { Validator } from '../validate/document-validator';
import type { CheckApi } from './check/check-api';
import type { ImportsApi } from './files/imports-api';
import { saved } from './files/not-saved';
import type { PinsApi } from './files/pins-api';
import type { ReplaysApi } from './files/replays-api';
import type { IssuesApi } from './issues/issues-api';
import type { LabApi } from './lab/lab-api';
import type { PermalinksApi } from './permalinks/permalinks-api';
import type { CommandAnswers } from './run-command';
import type { FailoverApi } from './simulate-failover';
import type { DescriptorSetsApi } from './sources/descriptor-sets-api';
import type { SourcesApi } from './sources/sources-api';

interface CommandAnswersParts {
  readonly recorder: Pick<Recorder, 'confirmInPlace'>;
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
  readonly issuesApi: Pick<IssuesApi, 'mute'>;
}

export function createCommandAnswers(parts: CommandAnswersParts): CommandAnswers {
  const { recorder, sources, imports, descriptorSets, replays, pins, permalinks, failover, validate, lab } =
    parts;
  const { issuesApi, check } = parts;
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
    'POST validate': ({ query, body, signal }) => validateInput(validate, { ...body, ...query }, signal),
    'POST check': ({ query, body: { bytes }, signal }) => check.check({ bytes, ...query }, signal),
    'POST lab/start': () => lab.start(),
    'POST lab/background-faults': ({ body }) => lab.setBackgroundFaults(body.backgroundFaults),
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
