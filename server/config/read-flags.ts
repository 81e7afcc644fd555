import { Command, CommanderError, Option } from 'commander';
import { type OptionGroup, type StartOption, variableOf } from '../collect/source-kind/option';
import { ConfigError } from '../config-error';

/** The command line requests a text instead of a start. xdscope prints the message and ends with success. */
export class HelpRequested extends Error {
  override readonly name = 'HelpRequested';
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** Adds the option key of each of commander's attributes to `keys`. */
function buildCommand(groups: readonly OptionGroup[], version: string, keys: Map<string, string>): Command {
  const command = new Command('npm start --')
    .usage(
      '[options]\n       npm start -- open FILE... [options]\n       npm start -- backup|restore FILE [--data-dir DIR]\n       npm start -- copy --from DIR --store postgres://...',
    )
    .description(
      'xdscope: the flight recorder and x-ray for xDS. Without a source it runs the embedded lab.\n\nCommands:\n' +
        '  open FILE...  show recordings, config dumps and CSDS responses alone,\n' +
        '                in a temporary data directory (folders are allowed)\n' +
        '  backup FILE   write a copy of the data directory, while xdscope runs or not\n' +
        '  copy          copy the recording of a data directory into a shared store; again after an interruption\n' +
        '  restore FILE  replace the content of the data directory by a backup',
    );
  for (const { title, options } of groups) {
    for (const [key, { flags, help, isList, choices, negation }] of Object.entries(options)) {
      const option = new Option(flags, help).helpGroup(`${title}:`);
      if (isList) option.argParser(collect);
      if (choices !== undefined) option.choices(choices);
      keys.set(option.attributeName(), key);
      command.addOption(option);
      if (negation !== undefined)
        command.addOption(new Option(negation.flags, negation.help).helpGroup(`${title}:`));
    }
  }
  return command
    .optionsGroup('Other:')
    .option('--dev', 'serve the pages from source, for work on xdscope itself')
    .helpOption('--help', 'show this help')
    .version(version, '--version', 'print the version')
    .addHelpText('after', helpAfterOptions(groups))
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
}

function helpAfterOptions(groups: readonly OptionGroup[]): string {
  const options = groups.flatMap((group) => Object.values(group.options));
  const exampleOf = (isExample: (option: StartOption) => boolean): string => {
    const found = options.find(isExample);
    return found === undefined ? '' : `XDSCOPE_${variableOf(found)}`;
  };
  return `
Every option except --dev is also an environment variable: the name of the flag in capitals after XDSCOPE_, as in
${exampleOf(({ flags, isList }) => flags.includes('<') && !isList)}. Variables of repeatable options hold values separated by commas, and variables of switches 1 or 0,
as in ${exampleOf(({ flags }) => !flags.includes('<'))}=1. A flag takes precedence over the environment, which takes precedence over the config file. If no
source is named, GRPC_XDS_BOOTSTRAP (a path) and GRPC_XDS_BOOTSTRAP_CONFIG (the JSON itself) are read as gRPC clients
read them. docs/configuration.md lists all settings, including those of the config file alone.`;
}

/**
 * The stated values of the command line (without `node` and the script), by the keys of the options. Throws ConfigError if
 * it is invalid, HelpRequested for --help and --version.
 */
export function readFlags(
  groups: readonly OptionGroup[],
  argv: readonly string[],
  version: string,
): { readonly values: Record<string, unknown>; readonly dev: boolean } {
  const keys = new Map<string, string>();
  const command = buildCommand(groups, version, keys);
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
