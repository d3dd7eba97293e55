/** The controls of every view, made of react-aria's: keyboard, focus and screen readers are its work. */

import type { ReactNode } from "react";
import {
  Button as AriaButton,
  type ButtonProps,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SearchField,
  Select as AriaSelect,
  SelectValue,
  Switch as AriaSwitch,
  Text,
  TextField as AriaTextField,
  ToggleButton,
  ToggleButtonGroup,
  Tooltip,
  TooltipTrigger,
} from "react-aria-components";
import { Icon, type IconName } from "./icons";

type Look = "main" | "plain" | "danger" | "";

export function Button({ look = "", small, icon, children, className, ...rest }: Omit<ButtonProps, "className"> & { look?: Look; small?: boolean; icon?: IconName; children?: ReactNode; className?: string }) {
  return (
    <AriaButton {...rest} className={`button ${look} ${small ? "small" : ""} ${children ? "" : "icon"} ${className ?? ""}`}>
      {icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  );
}

/** A button that shows an icon alone: its label is spoken, and shown beside it on hover and focus. */
export function IconButton({ label, icon, look = "plain", ...rest }: Omit<ButtonProps, "className" | "children"> & { label: string; icon: IconName; look?: Look }) {
  return (
    <TooltipTrigger delay={350}>
      <Button {...rest} look={look} icon={icon} aria-label={label} />
      <Tooltip className="tooltip">{label}</Tooltip>
    </TooltipTrigger>
  );
}

export type Choice<T extends string> = { id: T; label: string; more?: string };

export function Select<T extends string>({ label, hideLabel, value, choices, onChange, placeholder, hint, isDisabled, className }: {
  label: string;
  hideLabel?: boolean;
  value: T | null;
  choices: readonly Choice<T>[];
  onChange: (value: T) => void;
  placeholder?: string;
  hint?: string;
  isDisabled?: boolean;
  className?: string;
}) {
  return (
    <AriaSelect
      className={`field ${className ?? ""}`}
      value={value}
      onChange={(key) => key !== null && onChange(key as T)}
      aria-label={hideLabel ? label : undefined}
      placeholder={placeholder ?? "Choose"}
      isDisabled={isDisabled}
    >
      {!hideLabel && <Label>{label}</Label>}
      <AriaButton className="select">
        <SelectValue className="value" />
        <Icon name="down" />
      </AriaButton>
      {hint && <Text slot="description" className="hint">{hint}</Text>}
      <Popover className="popover">
        <ListBox className="listbox" items={choices}>
          {(item: Choice<T>) => (
            <ListBoxItem id={item.id} textValue={item.label} className="listbox-item">
              <Text slot="label">{item.label}</Text>
              {item.more && <Text slot="description" className="more">{item.more}</Text>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

export function TextField({ label, hideLabel, value, onChange, onDone, placeholder, hint, wrong, isDisabled, className, inputMode }: {
  label: string;
  hideLabel?: boolean;
  value: string;
  onChange: (value: string) => void;
  onDone?: () => void;
  placeholder?: string;
  hint?: string;
  wrong?: string | null;
  isDisabled?: boolean;
  className?: string;
  inputMode?: "decimal" | "numeric" | "text";
}) {
  return (
    <AriaTextField className={`field ${className ?? ""}`} value={value} onChange={onChange} aria-label={hideLabel ? label : undefined} isInvalid={Boolean(wrong)} isDisabled={isDisabled}>
      {!hideLabel && <Label>{label}</Label>}
      <Input
        className="input"
        placeholder={placeholder}
        inputMode={inputMode}
        autoComplete="off"
        spellCheck={false}
        onKeyDown={(event) => {
          if (event.key === "Enter") onDone?.();
        }}
      />
      {hint && !wrong && <Text slot="description" className="hint">{hint}</Text>}
      {wrong && <Text slot="description" className="wrong">{wrong}</Text>}
    </AriaTextField>
  );
}

export function Search({ label, value, onChange, onSubmit, placeholder, className }: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onSubmit?: (value: string) => void;
  placeholder?: string;
  className?: string;
}) {
  return (
    <SearchField className={`search ${className ?? ""}`} aria-label={label} value={value} onChange={onChange} onSubmit={onSubmit}>
      <Icon name="search" />
      <Input className="input" placeholder={placeholder ?? label} spellCheck={false} autoComplete="off" />
    </SearchField>
  );
}

export function Switch({ children, value, onChange }: { children: ReactNode; value: boolean; onChange: (value: boolean) => void }) {
  return (
    <AriaSwitch className="switch" isSelected={value} onChange={onChange}>
      <span className="track" />
      {children}
    </AriaSwitch>
  );
}

export function Segments<T extends string>({ label, value, choices, onChange }: {
  label: string;
  value: T;
  choices: readonly (readonly [T, ReactNode])[];
  onChange: (value: T) => void;
}) {
  return (
    <ToggleButtonGroup
      className="segments"
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const [key] = keys;
        if (key !== undefined) onChange(key as T);
      }}
    >
      {choices.map(([id, shown]) => (
        <ToggleButton key={id} id={id} className="">
          {shown}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
