/** Variables that would change how the tools before the program work, or that the shell has its own ideas of. */
const delicate =
  /^(LD_.*|GLIBC_TUNABLES|MALLOC_.*|PATH|IFS|PWD|OLDPWD|ENV|MAIL|MAILPATH|OPTIND|OPTARG|PPID|PS[0-9]|SHELL|SHLVL|_)$/;

export interface SplitEnvironment {
  /** For the process itself. */
  readonly plain: Readonly<Record<string, string>>;
  /** As `NAME=VALUE`: to be set at the last moment. */
  readonly late: readonly string[];
}

/** Splits the variables of a program by how they can be handed to it through a shell. */
export function splitEnvironment(all: Readonly<Record<string, string>>): SplitEnvironment {
  const plain: Record<string, string> = {};
  const late: string[] = [];
  for (const [name, value] of Object.entries(all)) {
    if (delicate.test(name) || !/^[A-Za-z_]\w*$/.test(name)) late.push(`${name}=${value}`);
    else plain[name] = value;
  }
  return { plain, late };
}
