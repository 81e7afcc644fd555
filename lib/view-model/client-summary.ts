import type * as z from 'zod';
import type { clientDetailOf } from '../api/clients';
import type { Moment as MomentJson } from '../api/moment';
import type { ClientDetail as ClientDetailJson, ClientSummary as ClientSummaryJson } from '../api/schema';
import { formatIsoTime, formatIsoTimeOrNull } from '../format/iso-time';

/** The answers of the HTTP API with times as EpochMs. */
export type ClientDetail = z.infer<ReturnType<typeof clientDetailOf<z.ZodNumber>>>;
export type ClientSummary = Omit<ClientDetail, 'node' | 'sync' | 'asClient' | 'moment'>;
export type Report = ClientSummary['reports'][number];
export type TypeSummary = ClientSummary['types'][number];
export type WaitingSummary = NonNullable<ClientSummary['waiting']>[number];
export type SourceSync = NonNullable<ClientDetail['sync']>[number];
export type TypeSync = SourceSync['types'][number];
export type ClientMoment = NonNullable<ClientDetail['moment']>;

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
