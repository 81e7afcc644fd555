import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../config-error';
import { logFormats, logLevels } from '../logger';
import type { ConfigFile } from './config';

export interface Flags extends ConfigFile {
  readonly config?: string;
  readonly dev?: boolean;
}

/** The command line said "tell me", not "start": the text to print, and then to end with success. */
export class HelpWanted extends Error {
  override readonly name = 'HelpWanted';
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

function buildCommand(version: string): Command {
  return new Command('npm start --')
    .description('xdscope: the flight recorder and x-ray for xDS. Without a source it runs the embedded lab.')
    .option(
      '--csds <host:port>',
      'poll this CSDS endpoint: a client or a control plane (repeatable)',
      collect,
    )
    .option(
      '--csds-dns <host:port>',
      'poll CSDS at every address that this name has, resolved again and again (repeatable)',
      collect,
    )
    .option(
      '--csds-file <file>',
      'poll the CSDS targets of this file, read again when it changes: lines of host:port, or JSON or YAML as file_sd has it (repeatable)',
      collect,
    )
    .option('--csds-interval <time>', 'time between two polls of a target, as in 1s or 500ms (default: 1s)')
    .option(
      '--envoy-admin <host:port>',
      'poll the admin interface of this Envoy: config dump, hosts, certificates (repeatable)',
      collect,
    )
    .option(
      '--envoy-admin-interval <time>',
      'time between two config dumps of an Envoy, as in 15s; hosts, certificates and the rest in proportion (default: 15s)',
    )
    .option(
      '--istiod <host:port>',
      'poll this istiod for the sync status and the configs of its proxies, by its xDS debug types (repeatable)',
      collect,
    )
    .option(
      '--istiod-interval <time>',
      'time between two questions for the sync status, as in 10s; configs are read when something was sent (default: 10s)',
    )
    .option(
      '--ads <host:port>',
      'subscribe to this management server with our own probe (repeatable)',
      collect,
    )
    .option(
      '--bootstrap <file>',
      'take management servers, authorities, credentials and node from this gRPC xDS bootstrap file',
    )
    .option(
      '--target <name>',
      'what our probe asks for, as clients name it: xds:///NAME, xds://AUTHORITY/NAME (repeatable; default: everything)',
      collect,
    )
    .option(
      '--server-listener <host:port>',
      'what our probe asks for as a gRPC server does that listens there, by the template of the bootstrap (repeatable)',
      collect,
    )
    .option(
      '--ads-transport <how>',
      'ads, delta-ads (one stream), sotw, delta (a stream per type) or rest (default: ads)',
    )
    .option(
      '--ads-cross-check',
      'ask in the other variant, too (state of the world and delta), and tell where the two get different things',
    )
    .option(
      '--ads-mode <mode>',
      'observe: accept whatever decodes; validate: reject what a gRPC client rejects (default: observe)',
    )
    .option('--ads-profile <client>', 'which client validate is: core, go, java or node (default: core)')
    .option(
      '--error-model <model>',
      'pre-a88: deleted is gone; a88: deleted is kept, with an error (default: pre-a88)',
    )
    .option('--max-message-megabytes <MiB>', 'largest message that our probe reads (default: 128)')
    .option(
      '--tap <listen=upstream>',
      'relay clients that connect to LISTEN to their management server, and record what passes (repeatable)',
      collect,
    )
    .option(
      '--replay <file[@listen]>',
      'serve what an .xdscope file holds as a management server, at recorded speed (default: any free port of 127.0.0.1)',
    )
    .option('--replay-client <node id>', 'of which client in the file (default: the first that has streams)')
    .option(
      '--replay-at <time>',
      'what the client held then, as in 2026-11-21T11:04:07Z (default: its streams)',
    )
    .option('--lrs-listen <host:port>', 'receive load reports (LRS) on this address')
    .option('--lrs-interval <time>', 'how often clients are asked to report, as in 10s (default: 5s)')
    .option('--lrs-cluster <name>', 'a cluster to be reported (repeatable; default: all)', collect)
    .option('--lrs-endpoints', 'ask for the load of each endpoint; who cannot tell it is asked for less')
    .option(
      '--descriptor-set <file>',
      'types to decode by: a FileDescriptorSet of protoc or buf (repeatable)',
      collect,
    )
    .option('--host <address>', 'address to serve the pages on (default: 127.0.0.1)')
    .option('--insecure-no-auth', 'allow a --host that other machines reach, although there is no sign-in')
    .option('--port <number>', 'port to serve the pages on, 0 for any free one (default: 3000)')
    .option(
      '--allowed-host <name>',
      'host name under which browsers may reach this server (repeatable)',
      collect,
    )
    .option(
      '--allow-target <cidr or host>',
      'what sources that are added in the browser or by API may connect to, as in 10.0.0.0/8 or *.svc.cluster.local (repeatable; default: everything but link-local, metadata, multicast, unspecified and broadcast addresses)',
      collect,
    )
    .option('--data-dir <dir>', 'where the log, bodies and permalinks live (default: ./data)')
    .option(
      '--set-aside-damaged',
      'rename a recording that is damaged, and begin a new one (default: end with the reason)',
    )
    .option('--config <file>', 'YAML or JSON file with all of these in camelCase')
    .addOption(
      new Option('--log-level <level>', 'the least important messages on stderr (default: info)').choices(
        logLevels,
      ),
    )
    .addOption(
      new Option('--log-format <format>', 'text, or one JSON object per line (default: text)').choices(
        logFormats,
      ),
    )
    .option('--lab', 'run the embedded lab beside the named sources')
    .option('--no-lab', 'do not run the embedded lab')
    .option('--no-weather', 'start the lab with its weather stopped')
    .option('--max-clients <number>', 'clients that are observed at most, of all sources (default: 100000)')
    .option('--max-clients-per-source <number>', 'clients of one source at most (default: 50000)')
    .option('--retention-days <days>', 'keep observations for so long (default: 7)')
    .option('--retention-megabytes <MB>', 'keep at most so much (default: 2048)')
    .option('--retention-count <observations>', 'keep at most so many (default: any number)')
    .option('--dev', 'serve the pages from source, for work on xdscope itself')
    .helpOption('--help', 'print this')
    .version(version, '--version', 'print the version')
    .addHelpText(
      'after',
      `
open FILE... shows files and what is in folders (recordings, dumps, answers: all that can be imported) and nothing else:
no source, no lab, a data dir of its own that goes at the end.

Every flag is also an environment variable: XDSCOPE_CSDS (comma-separated), XDSCOPE_CSDS_DNS, XDSCOPE_CSDS_FILE, XDSCOPE_ADS, XDSCOPE_BOOTSTRAP,
XDSCOPE_TARGET, XDSCOPE_SERVER_LISTENER, XDSCOPE_ADS_TRANSPORT, XDSCOPE_ADS_CROSS_CHECK, XDSCOPE_ADS_MODE, XDSCOPE_ADS_PROFILE, XDSCOPE_ERROR_MODEL,
XDSCOPE_MAX_MESSAGE_MEGABYTES, XDSCOPE_TAP, XDSCOPE_REPLAY, XDSCOPE_REPLAY_CLIENT, XDSCOPE_REPLAY_AT, XDSCOPE_LRS_LISTEN, XDSCOPE_LRS_INTERVAL, XDSCOPE_LRS_CLUSTER, XDSCOPE_LRS_ENDPOINTS, XDSCOPE_DESCRIPTOR_SET, XDSCOPE_HOST, XDSCOPE_INSECURE_NO_AUTH, XDSCOPE_PORT, XDSCOPE_ALLOW_TARGET, XDSCOPE_DATA_DIR, XDSCOPE_LOG_LEVEL, XDSCOPE_LOG_FORMAT, XDSCOPE_SET_ASIDE_DAMAGED (1 or 0), XDSCOPE_CONFIG, XDSCOPE_LAB (1 or 0), ...
A flag beats the environment, which beats the file. With no source named, GRPC_XDS_BOOTSTRAP (a path) and
GRPC_XDS_BOOTSTRAP_CONFIG (the JSON itself) are read as gRPC clients read them.`,
    )
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
}

/**
 * The command line (without `node` and the script), as camelCase values; what was not said is absent.
 * Throws ConfigError for what is not understood, HelpWanted for --help and --version.
 */
export function readFlags(argv: readonly string[], version: string): Flags {
  const command = buildCommand(version);
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed')
      throw new HelpWanted(command.helpInformation() + helpAfter(command));
    if (error.code === 'commander.version') throw new HelpWanted(`${version}\n`);
    throw new ConfigError(
      `${error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')} (see npm start -- --help)`,
    );
  }
  const {
    allowedHost,
    allowTarget,
    target,
    serverListener,
    descriptorSet,
    tap,
    csdsFile,
    lrsCluster,
    ...options
  } = command.opts();
  if (target !== undefined) options.targets = target;
  if (allowTarget !== undefined) options.allowTargets = allowTarget;
  if (tap !== undefined) options.taps = tap;
  if (lrsCluster !== undefined) options.lrsClusters = lrsCluster;
  if (csdsFile !== undefined) options.csdsFiles = csdsFile;
  if (serverListener !== undefined) options.serverListeners = serverListener;
  if (descriptorSet !== undefined) options.descriptorSets = descriptorSet;
  // Commander gives --no-weather the default true; only what was said counts here.
  if (command.getOptionValueSource('weather') === 'default') delete options.weather;
  if (command.getOptionValueSource('lab') === 'default') delete options.lab;
  return allowedHost === undefined ? options : { ...options, allowedHosts: allowedHost };
}

/** Commander keeps addHelpText for its own printing; collect it. */
function helpAfter(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text.slice(command.helpInformation().length);
}
