import { formatJunit } from '@/lib/server-checks/format-results';
import type { PermalinkCreated } from '@/lib/views/permalinks/schema';
import type { CheckRunJson, CheckRunSummary, NewCheckRun } from '@/lib/views/server-checks/schema';
import { ApiError, badRequest, notFound } from '../../api-error';
import { redactMessage } from '../../codec/secrets/redact-message';
import { type AllCredentials, requestedSecurity } from '../../collect/source-kind/named-credentials';
import { SettingError } from '../../collect/source-kind/setting-error';
import { buildProbe } from '../../collect/xds/settings/build-probe';
import { clientFeatures } from '../../collect/xds/stream/xds-node';
import { type CheckRuns, mostShared, permalinkIdOf } from '../../lab/server-checks/check-runs';
import { referenceRuns } from '../../lab/server-checks/reference-runs';
import { serverChecks } from '../../lab/server-checks/run-checks';

interface ServerChecksApiOptions {
  readonly checkRuns: CheckRuns;
  /** The credentials that a request can select by name. */
  readonly credentials: AllCredentials;
  /** The version of xdscope. */
  readonly version: string;
}

/** Checks of management servers by the rules of the xDS transport protocol, and their runs. */
export class ServerChecksApi {
  readonly #options: ServerChecksApiOptions;

  constructor(options: ServerChecksApiOptions) {
    this.#options = options;
  }

  list() {
    const checks = serverChecks.map(({ run: _, needs: __, features: ___, ...check }) => check);
    return { checks, items: [...this.#options.checkRuns.list(), ...referenceRuns] };
  }

  /** A Response is the run in another form. Throws ApiError 404. */
  find(id: string, format: 'json' | 'junit'): CheckRunJson | Response {
    const run = this.#find(id);
    if (format === 'json') return run;
    return new Response(formatJunit(run.server, run.results), {
      headers: { 'content-type': 'application/xml; charset=utf-8', 'cache-control': 'no-store' },
    });
  }

  async start({ target, settings, mayReject, checks }: NewCheckRun): Promise<CheckRunSummary> {
    const { checkRuns } = this.#options;
    if (checkRuns.runningId !== undefined) {
      const detail = `expected no other run under way, got ${checkRuns.runningId}: wait until it has ended, or stop it`;
      throw new ApiError(409, 'Another run is under way', detail);
    }
    const unknown = checks?.filter((id) => !serverChecks.some((check) => check.id === id)) ?? [];
    if (unknown.length > 0) {
      const known = serverChecks.map(({ id }) => id);
      throw badRequest(`expected ids of checks, as in ${known[0]}, got ${unknown.join(', ')}`, 'checks');
    }
    const checkIds = serverChecks.flatMap(({ id }) => (checks?.includes(id) === false ? [] : [id]));
    if (target === undefined) {
      return checkRuns.start({
        name: 'xdscope lab',
        node: client(this.#options.version),
        mayReject,
        checkIds,
      });
    }
    const { server, node, hasUsualNode } = this.#readTarget(target, settings);
    const { id, cluster, locality, metadata } = node;
    return checkRuns.start({
      ...{ name: redactMessage(server.target.text), server, mayReject, checkIds },
      ...(!hasUsualNode && { nodeId: redactMessage(id) }),
      node: {
        ...client(this.#options.version),
        ...(cluster !== '' && { cluster }),
        ...(locality !== null && { locality }),
        ...{ metadata, ...(!hasUsualNode && { id }) },
      },
    });
  }

  /** Throws ApiError 404. */
  async remove(id: string): Promise<void> {
    if (referenceRuns.some((reference) => reference.id === id)) {
      throw new ApiError(409, 'Run is not removable', `${id} ships with xdscope`);
    }
    if (!(await this.#options.checkRuns.remove(id))) throw unknownRun(id);
  }

  /** The run as it was when it was shared. Throws ApiError 404. */
  findShared(permalinkId: string): CheckRunJson {
    const run = this.#options.checkRuns.findShared(permalinkId);
    if (run === undefined)
      throw notFound('Permalink', `no permalink has the id ${JSON.stringify(permalinkId)}`);
    return run;
  }

  async share(id: string): Promise<PermalinkCreated> {
    const { checkRuns } = this.#options;
    const run = this.#find(id);
    if (run.state === 'running') {
      throw new ApiError(409, 'Run is under way', `expected a run that has ended, got ${id}, which has not`);
    }
    const permalinkId = permalinkIdOf(run);
    if (checkRuns.sharedCount >= mostShared && checkRuns.findShared(permalinkId) === undefined) {
      const detail = `expected at most ${mostShared} shared runs, got one more: shared runs are never deleted`;
      throw new ApiError(409, 'Too many shared runs', detail);
    }
    await checkRuns.share(run);
    return { id: permalinkId, url: `/p/checks/${permalinkId}` };
  }

  #find(id: string): CheckRunJson {
    const run = this.#options.checkRuns.find(id) ?? referenceRuns.find((reference) => reference.id === id);
    if (run === undefined) throw unknownRun(id);
    return run;
  }

  #readTarget(target: string, settings: NewCheckRun['settings']) {
    try {
      const { setup } = buildProbe(
        {
          ...{ target, settings },
          secure: (servers) => requestedSecurity(settings, servers, this.#options.credentials),
        },
        'settings.',
      );
      const [server] = setup.settings.servers;
      if (server === undefined) throw new SettingError('target', 'expected a server, got none');
      return { server, node: setup.node, hasUsualNode: setup.hasUsualNode };
    } catch (error) {
      if (error instanceof SettingError) throw badRequest(error.message, error.field);
      throw error;
    }
  }
}

/** Fields of the node that a target does not state. */
function client(version: string) {
  return {
    ...{ cluster: 'xdscope-checks', userAgentName: 'xdscope', userAgentVersion: version },
    clientFeatures: [...clientFeatures],
  };
}

function unknownRun(id: string): ApiError {
  return notFound('Run', `no run of server checks has the id ${JSON.stringify(id)}`);
}
