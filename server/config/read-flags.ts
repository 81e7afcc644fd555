import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../config-error';
import { type StartOptions, variableOf } from '../source-kind/option';

/** The command line requests a text instead of a start. xdscope prints the message and ends with success. */
export class HelpRequested extends Error {
  override readonly name = 'HelpRequested';
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** Adds the option key of each of commander's attributes to `keys`. */
function buildCommand(options: StartOptions, version: string, keys: Map<string, string>): Command {
  const command = new Command('npm start --').description(
    'xdscope: the flight recorder and x-ray for xDS. Without a source it runs the embedded lab.',
  );
  for (const [key, { flags, help, isList, choices, negation }] of Object.entries(options)) {
    const option = new Option(flags, help);
    if (isList) option.argParser(collect);
    if (choices !== undefined) option.choices(choices);
    keys.set(option.attributeName(), key);
    command.addOption(option);
    if (negation !== undefined) command.addOption(new Option(negation.flags, negation.help));
  }
  return command
    .option('--dev', 'serve the pages from source, for work on xdscope itself')
    .helpOption('--help', 'print this')
    .version(version, '--version', 'print the version')
    .addHelpText('after', helpAfterOptions(options))
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
}

function helpAfterOptions(options: StartOptions): string {
  const names = (which: (option: StartOptions[string]) => boolean): string =>
    Object.values(options)
      .filter(which)
      .map((option) => `XDSCOPE_${variableOf(option)}`)
      .join(', ');
  return `
open FILE... shows files and what is in folders (recordings, dumps, answers: all that can be imported) and nothing else:
no source, no lab, a data dir of its own that is removed at the end.

Every flag but --dev is also an environment variable. Values separated by commas:
${names(({ isList }) => isList === true)}.
One value:
${names(({ isList, flags }) => !isList && flags.includes('<'))}.
1 or 0:
${names(({ flags }) => !flags.includes('<'))}.
A flag takes precedence over the environment, which takes precedence over the file. With no source named, GRPC_XDS_BOOTSTRAP (a path) and
GRPC_XDS_BOOTSTRAP_CONFIG (the JSON itself) are read as gRPC clients read them.`;
}

/**
 * The stated values of the command line (without `node` and the script), by the keys of the options. Throws ConfigError if
 * it is invalid, HelpRequested for --help and --version.
 */
export function readFlags(
  options: StartOptions,
  argv: readonly string[],
  version: string,
): { readonly values: Record<string, unknown>; readonly dev: boolean } {
  const keys = new Map<string, string>();
  const command = buildCommand(options, version, keys);
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed')
      throw new HelpRequested(command.helpInformation() + helpAfter(command));
    if (error.code === 'commander.version') throw new HelpRequested(`${version}\n`);
    throw new ConfigError(
      `${error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')} (see npm start -- --help)`,
    );
  }
  const values: Record<string, unknown> = {};
  for (const [attribute, key] of keys) {
    // Commander adds the default of --no-background-faults, which the command line does not state.
    if (command.getOptionValueSource(attribute) === 'cli') values[key] = command.getOptionValue(attribute);
  }
  return { values, dev: command.getOptionValue('dev') === true };
}

/** The text of addHelpText(), which commander returns only when it prints. */
function helpAfter(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text.slice(command.helpInformation().length);
}
