import * as z from 'zod';
import { numberedSeries } from '@/lib/load/load-schemas';
import { freshness } from '@/lib/observation/field-schemas';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { resourceRow } from '@/lib/observation/resource-schemas';
import { testClient as testClientState } from '@/lib/observation/test-client-schemas';
import { clientDetail } from '@/lib/views/client/schema';
import { failovers as failoversAnswer } from '@/lib/views/failover/periods-schema';
import { moment } from '@/lib/views/fields/moment';
import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import { probeProfiles } from '@/lib/xds/probe-choices';
import type { KnownSettings } from '../subjects/known-settings';
import { storedConnections } from './stored-connections';
import type { StoredPropagation } from './stored-propagation';

/**
 * The stored form of a permalink: the answers of the HTTP API, so that a field that is added to an answer is stored, too.
 * Every stored form can be read: the golden files of tests/fixtures/permalinks, of which each has
 * one permalink of each kind, fail if a later field is not optional. Another meaning of a field needs the next version.
 */
export const storedRow = resourceRow;

const reported = z.object({
  templates: z
    .object({
      clientDefault: z.string(),
      /** The key is the authority, whose name may be any text. */
      authorities: z.array(z.tuple([z.string(), z.string()])),
    })
    .nullable(),
  certificateProviders: z.array(z.string()).nullable(),
  asClient: z.enum(probeProfiles).nullable(),
});

/** Links that name the kind of a client were stored when the newest profile of each was the only one. */
const profilesOfKinds = { core: 'core-1.85', go: 'go-1.85', java: 'java-1.85', node: 'node-1.14' } as const;
const namedByKind = z.looseObject({ clientKind: z.enum(['core', 'go', 'java', 'node']) });

function nameProfile(stored: unknown): unknown {
  const { success, data } = namedByKind.safeParse(stored);
  if (!success) return stored;
  const { clientKind, ...others } = data;
  return { ...others, profile: profilesOfKinds[clientKind] };
}

const failovers = z.preprocess(nameProfile, failoversAnswer);

/** Everything except the rows, which are written and read in steps because of their number. */
export const storedHead = z.object({
  version: z.literal(1),
  client: clientDetail,
  view: z.object({
    tab: z.string(),
    query: z.record(z.string(), z.string()),
    transform: z.object({ x: z.number(), y: z.number(), k: z.number() }).optional(),
  }),
  reported,
  /** The stored time in the past; if absent, it is the time at which the permalink was created. */
  moment: moment.optional(),
  /** Stored for the tab failover: which priority received traffic when, up to the stored time. */
  failovers: failovers.optional(),
  /** Absent: no source reported connections. */
  connections: storedConnections.optional(),
  /** Absent: no source reported the client as a test client. */
  testClient: z
    .object({ sourceId: z.string(), freshness, reason: z.string(), testClient: testClientState })
    .optional(),
  load: z
    .object({
      span: z.object({ from: z.number(), to: z.number() }),
      series: numberedSeries,
      stepMs: z.number(),
      /** LoadExcerpt.values in base64. */
      values: z.string(),
    })
    .optional(),
});

export type StoredHead = z.infer<typeof storedHead>;
export type StoredPermalink = StoredHead & {
  readonly resources: readonly ResourceRow[];
  readonly propagation?: StoredPropagation;
};

type StoredSettings = StoredHead['reported'];

export function storeSettings({
  templates,
  certificateProviders,
  ...reported
}: KnownSettings): StoredSettings {
  return {
    ...reported,
    certificateProviders: certificateProviders && [...certificateProviders],
    templates: templates && freezeTemplates(templates),
  };
}

function freezeTemplates({ clientDefault, authorities }: ListenerNameTemplates): StoredSettings['templates'] {
  const byAuthority = [...authorities].map(
    ([name, { clientListenerResourceNameTemplate }]): [string, string] => [
      name,
      clientListenerResourceNameTemplate,
    ],
  );
  return { clientDefault, authorities: byAuthority };
}

export function loadSettings({ templates, ...reported }: StoredSettings): KnownSettings {
  if (templates === null) return { ...reported, templates };
  const authorities = templates.authorities.map(
    ([name, clientListenerResourceNameTemplate]) => [name, { clientListenerResourceNameTemplate }] as const,
  );
  return {
    ...reported,
    templates: { clientDefault: templates.clientDefault, authorities: new Map(authorities) },
  };
}
