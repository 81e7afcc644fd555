import { groupConditions, recordConditions } from '@/lib/issues/group-conditions';
import type { IssueAt } from '@/lib/issues/issue-at';
import type { IssueRecord } from '@/lib/issues/issue-record';
import { issueKey } from '@/lib/issues/read-issue-causes';
import { floorTo } from '@/lib/load/plan-load-reading';
import { isUnreported, newestEnd } from '@/lib/observation/unreported';
import {
  type CertificateCondition,
  type JudgedCertificate,
  readCertificateConditions,
} from '@/lib/views/issues/read-certificate-conditions';
import { SDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { ApiError } from '../../api-error';
import { issueIdOf } from '../../live/issues/issue-store';
import type { LiveState } from '../../live/live-state';
import { KeptWork } from '../../workers/kept-work';
import type { CertificateReader } from '../resources/certificate-reader';
import type { ClientSubjects } from '../subjects/client-subjects';

interface CertificateChecksParts {
  readonly live: Pick<LiveState, 'world'>;
  readonly subjects: Pick<ClientSubjects, 'find'>;
  readonly certificates: Pick<CertificateReader, 'find' | 'findInRows'>;
}

/** Certificates expire as time passes, without an observation; what was found applies for so long. */
const freshMs = 5_000;
/** What has ended is listed for so long. */
const endedMs = 3_600_000;
/** Limits the clients that are checked for a moment of the past. */
const mostInPast = 20;

/** The issues of certificates that have expired or were due to be renewed. */
export class CertificateChecks {
  readonly #parts: CertificateChecksParts;
  readonly #found = new KeptWork<readonly CertificateCondition[]>(1);
  /** What the latest check found, by client and cause. */
  #open = new Map<string, CertificateCondition>();
  #ended: readonly CertificateCondition[] = [];

  constructor(parts: CertificateChecksParts) {
    this.#parts = parts;
  }

  /** `moment` is a moment as in the URL. */
  async findAt(moment: string, at: EpochMs, signal?: AbortSignal): Promise<IssueAt[]> {
    return groupConditions(await this.#findAt(moment, at, signal), { at, idOf: issueIdOf });
  }

  /** `at` is the present. */
  async records(at: EpochMs): Promise<IssueRecord<CertificateCondition['cause']>[]> {
    return recordConditions(await this.#findNow(at), issueIdOf);
  }

  #findNow(at: EpochMs, signal?: AbortSignal): Promise<readonly CertificateCondition[]> {
    return this.#found.run(String(floorTo(at, freshMs)), signal, async (stop) => {
      const { items } = await this.#parts.certificates.find(undefined, stop);
      const open = readCertificateConditions(
        items.filter(({ clientId }) => !this.#isProbe(clientId) && this.#endOf(clientId) === undefined),
        at,
      );
      this.#noteEnded(open, at);
      return [...open, ...this.#ended];
    });
  }

  async #findAt(moment: string, at: EpochMs, signal?: AbortSignal): Promise<readonly CertificateCondition[]> {
    const { live, subjects, certificates } = this.#parts;
    const found: JudgedCertificate[] = [];
    const clientIds = [...live.world.keys()].filter((clientId) => !this.#isProbe(clientId));
    for (const clientId of clientIds.slice(0, mostInPast)) {
      const then = await subjects.find(clientId, moment, { signal }).catch(
        // The log reports nothing of this client until then.
        (error: unknown) =>
          error instanceof ApiError && error.status === 404 ? undefined : Promise.reject(error),
      );
      if (then !== undefined) found.push(...(await certificates.findInRows(then.client, then.rows, signal)));
    }
    return readCertificateConditions(found, at);
  }

  /** A certificate that was due to be renewed and expires is another issue, and was not renewed. */
  #noteEnded(open: readonly CertificateCondition[], at: EpochMs): void {
    const places = new Set(open.map(placeOf));
    const ended = [...this.#open.values()].flatMap((condition) => {
      const { clientId } = condition.period;
      if (places.has(placeOf(condition))) return [];
      const goneAt = this.#endOf(clientId, at);
      const { from } = condition.period;
      const ended =
        goneAt === undefined
          ? ({ to: at, end: 'repaired' } as const)
          : ({ to: Math.max(from, goneAt), end: 'gone' } as const);
      return [{ ...condition, period: { ...condition.period, ...ended } }];
    });
    this.#ended = [...this.#ended, ...ended].filter(({ period: { to = at } }) => to > at - endedMs);
    this.#open = new Map(open.map((each) => [`${each.period.clientId} ${issueKey(each.cause)}`, each]));
  }

  /** The time since which no source reports the client; `forgottenAt`: that of a client which is not known any more. */
  #endOf(clientId: string, forgottenAt?: EpochMs): EpochMs | undefined {
    const client = this.#parts.live.world.get(clientId);
    if (client === undefined) return forgottenAt;
    return isUnreported(client) ? newestEnd(client) : undefined;
  }

  #isProbe(clientId: string): boolean {
    const reports = this.#parts.live.world.get(clientId)?.reports.values() ?? [];
    return [...reports].some(({ vantage }) => vantage === 'probe');
  }
}

/** Equal for a certificate before and after it has expired. */
function placeOf({ cause: { typeUrl, name, certificate }, period }: CertificateCondition): string {
  const path = typeUrl === SDS.typeUrl ? '' : certificate.path;
  return JSON.stringify([period.clientId, typeUrl, name, certificate.role, path]);
}
