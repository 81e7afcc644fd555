import type { Moment as MomentJson } from '../api/moment';
import type {
  ClientDetail as ClientDetailJson,
  ClientSummary as ClientSummaryJson,
  Report as ReportJson,
  TypeSummary as TypeSummaryJson,
  TypeSync as TypeSyncJson,
  WaitingSummary as WaitingSummaryJson,
} from '../api/schema';
import { formatIsoTime, formatIsoTimeOrNull, type InEpochMs } from '../format/iso-time';

export type Report = InEpochMs<ReportJson, 'firstSeenAt' | 'lastChangedAt' | 'lastSeenAt'>;
export type TypeSummary = InEpochMs<TypeSummaryJson, 'lastChangedAt'>;
export type WaitingSummary = InEpochMs<WaitingSummaryJson, 'since'>;
export type TypeSync = InEpochMs<TypeSyncJson, 'lastUpdated'>;
export type ClientMoment = InEpochMs<MomentJson, 'at'>;
export type SourceSync = Omit<NonNullable<ClientDetailJson['sync']>[number], 'types'> & { types: TypeSync[] };

export type ClientSummary = InEpochMs<
  Omit<ClientSummaryJson, 'reports' | 'types' | 'waiting'>,
  'lastSeenAt' | 'lastChangedAt' | 'troubleSince'
> & { reports: Report[]; types: TypeSummary[]; waiting?: WaitingSummary[] | undefined };

export type ClientDetail = Omit<ClientDetailJson, keyof ClientSummaryJson | 'sync' | 'moment'> &
  ClientSummary & { sync?: SourceSync[] | undefined; moment?: ClientMoment | undefined };

export function formatClientSummary({
  reports,
  types,
  waiting,
  ...client
}: ClientSummary): ClientSummaryJson {
  return {
    ...client,
    lastSeenAt: formatIsoTimeOrNull(client.lastSeenAt),
    troubleSince: formatIsoTimeOrNull(client.troubleSince),
    lastChangedAt: formatIsoTime(client.lastChangedAt),
    reports: reports.map((report) => ({
      ...report,
      firstSeenAt: formatIsoTime(report.firstSeenAt),
      lastChangedAt: formatIsoTime(report.lastChangedAt),
      lastSeenAt: formatIsoTimeOrNull(report.lastSeenAt),
    })),
    types: types.map((type) => ({ ...type, lastChangedAt: formatIsoTimeOrNull(type.lastChangedAt) })),
    ...(waiting && {
      waiting: waiting.map((each) => ({ ...each, since: formatIsoTime(each.since) })),
    }),
  };
}

export function formatClientDetail({
  node,
  asClient,
  sync,
  moment,
  ...summary
}: ClientDetail): ClientDetailJson {
  return {
    ...formatClientSummary(summary),
    node,
    ...(asClient && { asClient }),
    ...(sync && {
      sync: sync.map(({ types, ...source }) => ({
        ...source,
        types: types.map((type) => ({ ...type, lastUpdated: formatIsoTimeOrNull(type.lastUpdated) })),
      })),
    }),
    ...formatMoment({ moment }),
  };
}

/** The field `moment` of an answer; none if the answer is about now. */
export function formatMoment({ moment }: { readonly moment?: ClientMoment | undefined }): {
  readonly moment?: MomentJson;
} {
  return moment === undefined ? {} : { moment: { ...moment, at: formatIsoTime(moment.at) } };
}
