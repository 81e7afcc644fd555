import { z } from 'zod';
import { requestedKinds, sourceKinds } from '../observation/declared-source';
import { apiVersions, errorModels, probeModes, probeProfiles, probeTransports } from '../xds/probe-choices';
import { problem } from './problem';
import { described, limit, offset } from './query-fields';
import { time } from './words';

/** How connections are secured; mtls: with a certificate of our own. */
export const securities = ['plain', 'tls', 'mtls'] as const;
const security = z.enum(securities);

/** What an ADS source does, with nothing left out. */
export const probeSettings = z.object({
  transport: z.enum(probeTransports),
  apiVersion: z.enum(apiVersions),
  mode: z.enum(probeModes),
  /** Whose rules `validate` applies. */
  profile: z.enum(probeProfiles),
  errorModel: z.enum(errorModels),
  nodeId: z.string(),
  /** Listener names; with `resources` empty too: everything that the server offers. */
  listeners: z.array(z.string()),
  /** Further roots: type URL -> names. */
  resources: z.record(z.string(), z.array(z.string())),
  /** In the order of preference. */
  servers: z.array(z.object({ target: z.string(), security, sendsToken: z.boolean() })),
  authorities: z.array(z.object({ name: z.string(), servers: z.array(z.string()) })),
});

/** How a tap is doing. Counts are of this process, or of what is open now. */
export const tapShown = z.object({
  /** As it was asked for. */
  listen: z.string(),
  /** Where it listens; null while it does not. */
  address: z.string().nullable(),
  /** How clients reach it. */
  listenSecurity: security,
  /** The server that they would talk to without it. */
  upstream: z.string(),
  upstreamSecurity: security,
  connections: z.number().int(),
  streams: z.number().int(),
  /** From clients to the server. */
  bytesUp: z.number().int(),
  bytesDown: z.number().int(),
  /** Messages that passed unrecorded, since recording could not keep up. */
  droppedMessages: z.number().int(),
});

export const source = z.object({
  /** `${kind}:${target}`, for ADS with what is unusual of its transport behind it; stable over restarts. */
  id: z.string(),
  kind: z.enum(sourceKinds),
  target: z.string(),
  /** What it is called on the page; the target where nobody named it. */
  label: z.string(),
  /** Who named it. Only those from the browser can be removed there. */
  origin: z.enum(['flag', 'config', 'environment', 'lab', 'browser', 'list']),
  /** The source that found this one; null: it was named by itself. */
  listId: z.string().nullable(),
  security,
  /** Of ADS sources; null of others. */
  settings: probeSettings.nullable(),
  paused: z.boolean(),
  state: z.enum(['connecting', 'up', 'down', 'paused']),
  problem: problem.nullable(),
  /** Extra facts in words, as in "StreamClientStatus is not implemented: polling with FetchClientStatus". */
  notes: z.array(z.string()),
  lastAttemptAt: time.nullable(),
  lastSuccessAt: time.nullable(),
  lastChangedAt: time.nullable(),
  /** Size of the newest answer (CSDS) or response (ADS). */
  answerBytes: z.number().int().nullable(),
  /** Polls, responses or reports so far, in this process. */
  answers: z.number().int(),
  failures: z.number().int(),
  /** Time from question to answer of the newest one. */
  latencyMs: z.number().nullable(),
  intervalMs: z.number().nullable(),
  clients: z.number().int(),
  /** A limit of clients applies to the source; absent: none does. */
  clientLimit: z
    .object({
      /** The limit of one source, or that of all sources together. */
      limit: z.enum(['source', 'total']),
      /** At most so many clients. */
      expected: z.number().int(),
      /** So many would have to be kept for nothing to be left out. */
      actual: z.number().int(),
      /** Clients that the source reports now and that are not observed. */
      notAdmitted: z.number().int(),
      /** Clients that were no longer reported and made room for new ones, since the start of this process. */
      evicted: z.number().int(),
    })
    .optional(),
  /** Of taps alone. */
  tap: tapShown.optional(),
  /** Of lists alone: the sources that they found, by state. */
  members: z
    .object({
      total: z.number().int(),
      up: z.number().int(),
      down: z.number().int(),
      connecting: z.number().int(),
      paused: z.number().int(),
    })
    .optional(),
});

export const sourcesQuery = z.strictObject({
  list: described(
    z.string().optional(),
    'Only sources that this list found: its id. Default: sources that no list found.',
  ),
  state: described(z.enum(['connecting', 'up', 'down', 'paused']).optional(), 'Only sources in this state.'),
  q: described(
    z.string().max(1_000).optional(),
    'Only sources whose target or label contains this text; case is ignored.',
  ),
  offset: offset('Sources'),
  limit: limit('sources', { min: 1, max: 1_000 }),
});

export const sourcePage = z.object({
  items: z.array(source),
  /** That match, on this page or not. */
  total: z.number().int(),
});

/** Says what came; `input` is what a stranger sent, so little of it. */
export function shownInput(input: unknown): string {
  const text = input === undefined ? 'nothing' : (JSON.stringify(input) ?? typeof input);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

export function expected(what: string) {
  return { error: ({ input }: { readonly input?: unknown }) => `expected ${what}, got ${shownInput(input)}` };
}

function choice<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, expected(`one of ${values.join(', ')}`));
}

export const someText = z.string(expected('text')).trim().min(1, expected('some text'));
const names = z.array(someText, expected('a list of names')).max(10_000, 'expected at most 10000 names');

/** Whom a server's certificate has to name, and whom we ask for (SNI, authority). */
export const serverName = z
  .string(expected('a DNS name'))
  .max(253, expected('at most 253 characters'))
  .regex(/^[a-z\d]([a-z\d.-]*[a-z\d])?$/i, expected('a DNS name'));

/** How an ADS source asks, beside its target and its credentials; what is left out has a default. */
export const probeChoices = z.strictObject({
  transport: choice(probeTransports).optional(),
  apiVersion: choice(apiVersions).optional(),
  mode: choice(probeModes).optional(),
  profile: choice(probeProfiles).optional(),
  errorModel: choice(errorModels).optional(),
  nodeId: someText.optional(),
  /**
   * Asks in the other variant, too (state of the world and delta), as a second source, and holds against each other what
   * the two get.
   */
  crossCheck: z.boolean(expected('true or false')).optional(),
  /** Listener names, or targets as clients have them (`xds:///NAME`, `xds://AUTHORITY/NAME`). */
  listeners: names.optional(),
  /**
   * Addresses that a gRPC server listens on, as in "0.0.0.0:8080" (gRFC A36): names of listeners by the bootstrap's
   * server_listener_resource_name_template.
   */
  serverListeners: names.optional(),
  /** "SDS" or a type URL -> names. */
  resources: z.record(z.string(), names).optional(),
  /** host:port, in the order of preference after the target (gRFC A71); secured as it is. */
  fallbackServers: z.array(someText, expected('a list of host:port')).max(20).optional(),
  /** In MiB: 128 where it is left out. */
  maxMessageMegabytes: z
    .number(expected('a number of MiB'))
    .positive(expected('a number above 0'))
    .max(2_047, expected('at most 2047'))
    .optional(),
  /** REST: time between two polls of a type. */
  refreshDelaySeconds: z
    .number(expected('a number of seconds'))
    .min(0.1, expected('at least 0.1'))
    .max(3_600, expected('at most 3600'))
    .optional(),
});

/** What a caller of the API can say. Files are named by flags and the config file alone. */
export const newProbeSettings = probeChoices.extend({
  /** TLS by the system's authorities, without a certificate of our own. */
  tls: z
    .strictObject(
      /** The target's host where left out. */
      { serverName: serverName.optional() },
      {
        error: (issue) =>
          issue.code === 'unrecognized_keys'
            ? `expected serverName alone, got ${issue.keys?.join(', ')}: files are named in the config file, as credentials`
            : undefined,
      },
    )
    .optional(),
  /** The name of credentials that the config file has, and that may be used with all of the servers; see `GET credentials`. */
  credentials: someText.max(200, expected('at most 200 characters')).optional(),
});

export const newSource = z.strictObject({
  /**
   * `envoy-admin`: the admin interface of an Envoy, over plain HTTP. `istiod`: the sync status and the configs of its
   * proxies, by its debug types on ADS.
   */
  kind: choice(requestedKinds),
  /** host:port; left out where a bootstrap names the servers. */
  target: z.string(expected('host:port')).max(1_000).optional(),
  label: z.string(expected('text')).max(200, expected('at most 200 characters')).optional(),
  /**
   * ADS: a gRPC bootstrap, as its JSON or as the text of it. Files and unix sockets that it names are ignored; the notes of
   * the source say which.
   */
  bootstrap: z
    .union([z.string(), z.record(z.string(), z.unknown())], expected('the JSON of a bootstrap'))
    .optional(),
  /** CSDS knows `tls` and `credentials`, `istiod` these and `nodeId`, `envoy-admin` nothing. */
  settings: newProbeSettings.optional(),
});

/** Credentials that callers can choose by name. What they are made of is not shown. */
export const namedCredentials = z.object({
  name: z.string(),
  /** Where they may be used, as in "*.istio-system.svc:15012"; empty: nowhere. */
  targets: z.array(z.string()),
});
export const credentialsList = z.object({ items: z.array(namedCredentials) });
export type CredentialsShown = z.infer<typeof namedCredentials>;

export const sourceChange = z
  .strictObject({
    paused: z.boolean(expected('true or false')).optional(),
    mode: choice(probeModes).optional(),
    profile: choice(probeProfiles).optional(),
    errorModel: choice(errorModels).optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'expected paused, mode, profile or errorModel, got none of them',
  });

export type Source = z.infer<typeof source>;
export type SourcesQuery = z.infer<typeof sourcesQuery>;
export type SourcePage = z.infer<typeof sourcePage>;
export type TapShown = z.infer<typeof tapShown>;
export type NewSource = z.infer<typeof newSource>;
export type SourceChange = z.infer<typeof sourceChange>;
export type ProbeSettingsShown = z.infer<typeof probeSettings>;
export type NewProbeSettings = z.infer<typeof newProbeSettings>;
export type ProbeChoices = z.infer<typeof probeChoices>;
export type Security = (typeof securities)[number];
