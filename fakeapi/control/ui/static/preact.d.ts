// The types of preact.js, as far as the page uses it, for `tsc --checkJs`. See preact.txt.

export type Child = VNode | string | number | boolean | null | undefined | Child[];
export interface VNode {
  type: unknown;
  props: unknown;
}
export type Component<Props> = (props: Props) => VNode | VNode[] | null;
export interface Ref<Value> {
  current: Value;
}
type Effect = () => void | (() => void);

export function html(strings: TemplateStringsArray, ...values: unknown[]): any;
export function render(node: VNode, parent: Element): void;
export function useState<Value>(initial: Value | (() => Value)): [Value, (next: Value | ((old: Value) => Value)) => void];
export function useEffect(effect: Effect, inputs?: readonly unknown[]): void;
export function useLayoutEffect(effect: Effect, inputs?: readonly unknown[]): void;
export function useMemo<Value>(make: () => Value, inputs: readonly unknown[]): Value;
export function useCallback<Call extends Function>(call: Call, inputs: readonly unknown[]): Call;
export function useRef<Value>(initial: Value): Ref<Value>;
