import { didYouMean } from './did-you-mean.ts';

/** The names for a template: the CSV's header and the job file's `columns` (own name → header name). */
export interface FieldNames {
  header: readonly string[];
  columns: Readonly<Record<string, string>>;
}

/** The column of a field, or the problem. `known`: the name exists, but leads to no or several columns. */
export type FoundField =
  | { found: true; column: number }
  | { found: false; known: boolean; message: string; hint: string };

const MOST_NAMES_SHOWN = 20;

/** A column's name as people see it: trimmed, without case, single inner spaces, accents in one form. */
export function foldName(name: string): string {
  return name
    .normalize('NFC')
    .replaceAll(/\p{Cf}/gu, '')
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, ' ');
}

/** Finds fields by name as people write them. */
export class FieldIndex {
  readonly #names: FieldNames;
  /** Folded name → columns: more than one is ambiguous. */
  readonly #folded = new Map<string, number[]>();
  readonly #aliases = new Map<string, string>();

  constructor(names: FieldNames) {
    this.#names = names;
    for (const [column, name] of names.header.entries()) {
      if (name.trim() === '') continue;
      const folded = foldName(name);
      this.#folded.set(folded, [...(this.#folded.get(folded) ?? []), column]);
    }
    for (const [alias, headerName] of Object.entries(names.columns))
      this.#aliases.set(foldName(alias), headerName);
  }

  /** Looks a name up. An alias of `columns` goes before an equal header, because a person chose it. */
  find(name: string): FoundField {
    const alias = this.#aliases.get(foldName(name));
    const headerName = alias ?? name;
    const columns = this.#columnsCalled(headerName);
    if (columns.length > 1) return this.#ambiguous(headerName);
    if (columns[0] !== undefined) return { found: true, column: columns[0] };
    return alias === undefined ? this.#unknown(name) : this.#dangling(name.trim(), headerName);
  }

  /** Among columns that differ only in case, the exactly spelled one wins. */
  #columnsCalled(headerName: string): number[] {
    const columns = this.#folded.get(foldName(headerName)) ?? [];
    if (columns.length < 2) return columns;
    const same = columns.filter((column) => this.#names.header[column]?.trim() === headerName.trim());
    return same.length > 0 ? same : columns;
  }

  #ambiguous(headerName: string): FoundField {
    return {
      found: false,
      known: true,
      message: `Several columns of the CSV are called "${headerName.trim()}"`,
      hint: 'Rename one in the CSV.',
    };
  }

  #dangling(name: string, headerName: string): FoundField {
    return {
      found: false,
      known: true,
      message: `\`columns\` says that "${name}" is the column "${headerName}", which the CSV does not have`,
      hint: listing(headerName, { what: 'columns', names: this.#named() }),
    };
  }

  #unknown(name: string): FoundField {
    return {
      found: false,
      known: false,
      message: `There is no field "${name.trim()}" in the CSV`,
      hint: listing(name, { what: 'fields', names: [...this.#aliasesFound(), ...this.#named()] }),
    };
  }

  /** Omits keys of `columns` that lead nowhere, because nobody can use them. */
  #aliasesFound(): string[] {
    return Object.keys(this.#names.columns).filter((alias) => this.find(alias).found);
  }

  #named(): string[] {
    return this.#names.header.filter((name) => name.trim() !== '');
  }
}

/** The possible names; columns come from the CSV, fields also from the keys of `columns`. */
function listing(word: string, { what, names }: { what: 'columns' | 'fields'; names: string[] }): string {
  const shown = names.slice(0, MOST_NAMES_SHOWN).join(', ');
  const more = names.length > MOST_NAMES_SHOWN ? ` and ${names.length - MOST_NAMES_SHOWN} more` : '';
  const near = didYouMean(word.trim(), names);
  return `${near === null ? '' : `Did you mean "${near}"? `}The ${what} are: ${shown}${more}.`;
}
