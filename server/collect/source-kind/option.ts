import type { z } from 'zod';

/** A setting of the start, stated once: its flag, environment variable and help, and its value in the config file. */
export interface StartOption<Schema extends z.ZodType = z.ZodType> {
  /** The flags in commander's syntax. The environment variable is the long name in capitals after XDSCOPE_. */
  readonly flags: string;
  readonly help: string;
  /** Schema of the value in the config file. Flags and variables have the same values, with numbers as text. */
  readonly schema: Schema;
  /** The flag is repeatable, and the variable holds values with commas between them. */
  readonly isList?: true;
  readonly choices?: readonly string[];
  /** The flag with the opposite meaning. Set only on switches. */
  readonly negation?: { readonly flags: string; readonly help: string };
  /** The flag turns the setting off, and the variable holds its text. */
  readonly isText?: true;
  /** The option names servers to observe: with one of them the variables of gRPC's bootstrap are not read. */
  readonly namesServers?: true;
}

export type StartOptions = Readonly<Record<string, StartOption>>;

/** Options that the help and the configuration reference list together. */
export interface OptionGroup {
  readonly title: string;
  readonly options: StartOptions;
}

/** The values of options. Those that are not stated are absent. */
export type ValuesOf<Options extends StartOptions> = {
  readonly [Key in keyof Options]?: z.output<Options[Key]['schema']> | undefined;
};

export function option<Schema extends z.ZodType>(
  flags: string,
  help: string,
  schema: Schema,
  more: Pick<StartOption, 'choices' | 'negation'> = {},
): StartOption<Schema> {
  return { flags, help, schema, ...more };
}

export function textSwitch<Schema extends z.ZodType>(
  flags: string,
  help: string,
  schema: Schema,
): StartOption<Schema> {
  return { flags, help, schema, isText: true };
}

/** `schema`: of the array of all values. */
export function listOption<Schema extends z.ZodType>(
  flags: string,
  help: string,
  schema: Schema,
  more: Pick<StartOption, 'namesServers'> = {},
): StartOption<Schema> {
  return { flags, help, schema, isList: true, ...more };
}

/** "CSDS_FILE" of "--csds-file <file>", and "BACKGROUND_FAULTS" of "--no-background-faults". */
export function variableOf({ flags }: StartOption): string {
  const [flag = ''] = flags.split(' ');
  return flag
    .replace(/^--(?:no-)?/, '')
    .replaceAll('-', '_')
    .toUpperCase();
}
